resource "kuma_dataplane" "batch" {
  mesh   = kuma_mesh.shop.name
  name   = "batch-1"
  labels = { "kuma.io/workload" = "batch" }

  networking {
    address = "10.0.0.3"
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}

# In addition to the clients that other permissions allow.
resource "kuma_mesh_traffic_permission" "batch" {
  mesh = kuma_mesh.shop.name
  name = "batch-calls-checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = kuma_dataplane.checkout.labels
    }
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.mesh.local/workload/batch"
          }
        }
      }
    }
  }
}

data "kuma_access" "checkout" {
  mesh    = "shop"
  planned = local.planned # in request.tf
  to      = ["checkout"]
}

locals {
  callers = flatten([for a in data.kuma_access.checkout.access : a.clients if a.allowed])
}

output "callers_of_checkout" {
  value = sort([
    for c in data.kuma_access.checkout.clients : c.spiffe_id if contains(local.callers, c.name)
  ])
}
