resource "kuma_mesh_health_check" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "web" }
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        interval_jitter_percent = 10
        event_log_path          = "/var/log/kuma/health.log"
        tcp {
          receive = []
        }
        grpc {
          disabled     = true
          service_name = "stock"
        }
      }
    }
  }
}
