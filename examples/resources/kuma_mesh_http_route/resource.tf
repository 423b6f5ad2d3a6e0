resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_http_route" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout-canary"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "checkout" }
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = "/"
          }
        }
        default {
          backend_refs {
            kind   = "MeshService"
            labels = { app = "checkout" }
            port   = 8080
            weight = 90
          }
          backend_refs {
            kind   = "MeshService"
            labels = { app = "checkout-next" }
            port   = 8080
            weight = 10
          }
        }
      }
    }
  }
}
