resource "kuma_mesh_rate_limit" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = kuma_dataplane.checkout.labels
    }
    rules {
      default {
        local {
          http {
            request_rate {
              num      = 100
              interval = "1s"
            }
            on_rate_limit {
              status = 429
            }
          }
        }
      }
    }
  }
}

data "kuma_effective_rules" "limit" {
  mesh      = "shop"
  planned   = local.planned # in request.tf
  dataplane = "checkout-1"
  types     = ["MeshRateLimit"]
}

output "limit" {
  value = data.kuma_effective_rules.limit.explanation
}
