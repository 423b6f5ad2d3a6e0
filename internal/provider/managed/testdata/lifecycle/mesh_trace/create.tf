resource "kuma_mesh_trace" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "all"
  labels = { team = "observability" }

  spec {
    target_ref {
      kind        = "Mesh"
      proxy_types = ["Sidecar"]
    }
    default {
      backends {
        type = "Zipkin"
        zipkin {
          url                 = "http://zipkin:9411/api/v2/spans"
          trace_id_128bit      = true
          shared_span_context = true
        }
      }
      sampling {
        overall = 80 # respelled: "80"
        client  = "40.5" # respelled: 40.5
      }
      tags {
        name    = "env"
        literal = "prod"
      }
      tags {
        name = "tenant"
        header {
          name    = "x-tenant"
          default = "none"
        }
      }
    }
  }
}
