resource "kuma_mesh_trace" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "all"

  spec {
    default {
      explicitly_empty = ["tags"]
      backends {
        type = "Datadog"
        datadog {
          url           = "http://datadog-agent:8126"
          split_service = true
        }
      }
      sampling {
        random = "0"
      }
    }
  }
}
