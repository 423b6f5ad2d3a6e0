resource "kuma_mesh_timeout" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind         = "Dataplane"
      labels       = { app = "web" }
      section_name = "http"
    }
    rules {
      matches {
        spiffe_id {
          type  = "Prefix"
          value = "spiffe://shop/ns/web"
        }
      }
      default {
        http {
          request_timeout     = "20s"
          stream_idle_timeout = "0s"
        }
      }
    }
    rules {
      default {
        idle_timeout = "2h0m0s"
      }
    }
  }
}
