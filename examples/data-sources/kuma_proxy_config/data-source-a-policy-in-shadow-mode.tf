# A policy that is not in effect yet, and what it would change in the configuration of a
# proxy. Removing the label applies it, as an update in place.
resource "kuma_mesh_timeout" "checkout" {
  mesh   = "shop"
  name   = "checkout"
  labels = { "kuma.io/effect" = "shadow" }

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

data "kuma_proxy_config" "shadow" {
  mesh      = "shop"
  dataplane = "checkout-1"
  shadow    = true

  # Terraform reads the data source after it has written the policy.
  depends_on = [kuma_mesh_timeout.checkout]
}

output "shadow_changes" {
  value = data.kuma_proxy_config.shadow.summary
}
