resource "kuma_mesh_traffic_permission" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "backend"
  labels = { team = "backend" }

  spec {
    target_ref {
      kind         = "Dataplane"
      labels       = { app = "backend" }
      section_name = "http"
    }
    rules {
      default {
        deny {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop/ns/bad/sa/evil"
          }
        }
        allow {
          spiffe_id {
            type  = "Prefix"
            value = "spiffe://shop/ns/web"
          }
          sni {
            type  = "Exact"
            value = "backend.example.com"
          }
        }
      }
    }
  }
}
