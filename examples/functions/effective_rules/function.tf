# The effective settings of a proxy, without a control plane: from YAML, and from
# resources of this configuration that are not applied yet.
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

  timeouts = provider::kuma::effective_rules(
    [local.documents, kuma_mesh_timeout.payments],
    { mesh = "shop", dataplane = "checkout-1", types = ["MeshTimeout"] },
  )
}

output "request_timeout" {
  value = one(values(local.timeouts.conf["MeshTimeout"])).http.requestTimeout
}

output "why" {
  value = local.timeouts.explanation
}
