# The apply fails if a proxy of the mesh rejects the timeout, or does not acknowledge it
# within 90 seconds.
resource "kuma_mesh_timeout" "checkout" {
  mesh = "shop"
  name = "checkout"

  spec {
    rules {
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
  }

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.kuma_wait_for_rollout.shop]
    }
  }
}

action "kuma_wait_for_rollout" "shop" {
  config {
    mesh    = "shop"
    timeout = "90s"
  }
}
