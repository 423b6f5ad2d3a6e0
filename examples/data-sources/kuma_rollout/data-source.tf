# Warns at the end of the apply if a proxy does not acknowledge the timeout. With a
# postcondition in the data source instead, the apply fails. The timeout stays written.
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
}

data "kuma_rollout" "checkout" {
  mesh    = "shop"
  timeout = "90s"

  # Terraform reads the data source after it has written the timeout.
  depends_on = [kuma_mesh_timeout.checkout]
}

check "rollout" {
  assert {
    condition     = data.kuma_rollout.checkout.complete
    error_message = data.kuma_rollout.checkout.summary
  }
}

output "rollout" {
  value = data.kuma_rollout.checkout.summary
}
