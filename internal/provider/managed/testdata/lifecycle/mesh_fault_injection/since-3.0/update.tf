resource "kuma_mesh_fault_injection" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind = "Dataplane"
    }
    rules {
      default {
        http {
          response_bandwidth {
            limit      = "50Mbps"
            percentage = "10"
          }
        }
      }
    }
    rules {
      matches {
        sni {
          type  = "Exact"
          value = "backend.example.com"
        }
      }
      default {
        explicitly_empty = ["http"]
      }
    }
  }
}
