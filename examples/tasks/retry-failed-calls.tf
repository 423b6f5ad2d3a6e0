resource "kuma_mesh_retry" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.checkout.labels
      }
      default {
        http {
          num_retries     = 2
          per_try_timeout = "1s"
          retry_on        = ["5xx", "ConnectFailure"]
          back_off {
            base_interval = "50ms"
            max_interval  = "500ms"
          }
        }
      }
    }
  }
}

data "kuma_request" "retry" {
  mesh      = "shop"
  planned   = local.planned # in request.tf
  dataplane = "storefront-1"
  service   = "checkout"
}

output "retry" {
  value = data.kuma_request.retry.retry
}
