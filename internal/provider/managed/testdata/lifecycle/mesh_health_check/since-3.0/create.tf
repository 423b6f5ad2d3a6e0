resource "kuma_mesh_health_check" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = "backend" }
      }
      default {
        interval            = "90s"    # respelled: "1m30s"
        timeout             = "1500ms" # respelled: "1.5s"
        unhealthy_threshold = 3
        http {
          path              = "/health"
          expected_statuses = [200, 204]
          request_headers_to_add {
            set {
              name  = "x-probe"
              value = "kuma"
            }
          }
        }
      }
    }
  }
}
