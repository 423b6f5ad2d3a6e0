resource "kuma_mesh_http_route" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "split"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = "backend" }
      }
      rules {
        matches {
          path {
            type  = "Exact"
            value = "/legacy"
          }
          method = "GET"
        }
        default {
          explicitly_empty = ["backend_refs"]
          filters {
            type = "RequestRedirect"
            request_redirect {
              scheme      = "https"
              hostname    = "new.example.com"
              status_code = 301
            }
          }
        }
      }
      rules {
        matches {
          query_params {
            type  = "Exact"
            name  = "page"
            value = "1"
          }
        }
        default {
          backend_refs {
            kind   = "MeshMultiZoneService"
            labels = { "kuma.io/display-name" = "backend" }
            port   = 8080
            weight = 10
          }
        }
      }
    }
  }
}
