resource "kuma_mesh_http_route" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "split"

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = "backend"
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = "/api"
          }
          headers {
            name  = "x-version"
            type  = "Exact"
            value = "v2"
          }
        }
        default {
          filters {
            type = "RequestMirror"
            request_mirror {
              percentage = "50" # respelled: 50
              backend_ref {
                kind = "MeshServiceSubset"
                name = "mirror"
                tags = { version = "v1" }
              }
            }
          }
          backend_refs {
            kind   = "MeshService"
            name   = "backend"
            port   = 8080
            weight = 1
          }
        }
      }
    }
  }
}
