# How a change affects the proxies of a mesh, from documents and resources only.
resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_timeout" "payments" {
  mesh = kuma_mesh.shop.name
  name = "payments"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "payments" }
      }
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
  }
}

locals {
  documents = <<-YAML
    type: Dataplane
    mesh: shop
    name: checkout-1
    labels: {app: checkout}
    networking:
      address: 10.0.0.5
      inbound: [{port: 8080, protocol: http}]
    ---
    type: MeshService
    mesh: shop
    name: payments
    labels: {app: payments}
    spec: {ports: [{port: 80, name: http}]}
  YAML

  impact = provider::kuma::policy_impact(
    local.documents,
    [local.documents, kuma_mesh_timeout.payments],
    "shop",
  )
}

output "changes" {
  value = [
    for c in local.impact.changes :
    "${c.path}: ${coalesce(c.before, "unset")} -> ${coalesce(c.after, "unset")}"
  ]
}
