resource "kuma_mesh_timeout" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.checkout.labels
      }
      default {
        connection_timeout = "500ms"
        http {
          request_timeout = "2s"
        }
      }
    }
  }
}

data "kuma_request" "timeout" {
  mesh      = "shop"
  planned   = local.planned # in request.tf
  dataplane = "storefront-1"
  service   = "checkout"
}

output "request_timeout" {
  value = data.kuma_request.timeout.timeouts["request"]
}
