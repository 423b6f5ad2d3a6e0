# Who may call payments, from documents and a permission that is not applied yet.
resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_traffic_permission" "payments" {
  mesh = kuma_mesh.shop.name
  name = "payments"

  spec {
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.example/workload/frontend"
          }
        }
      }
    }
  }
}

locals {
  documents = <<-YAML
    type: MeshIdentity
    mesh: shop
    name: everyone
    spec:
      selector: {dataplane: {matchLabels: {}}}
      spiffeID: {trustDomain: shop.example, path: '/workload/{{ label "app" }}'}
      provider: {type: Spire, spire: {}}
    ---
    type: MeshService
    mesh: shop
    name: payments
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: payments}}}
      ports: [{port: 80, targetPort: 8080, name: http}]
    ---
    type: Dataplane
    mesh: shop
    name: payments-1
    labels: {app: payments}
    networking: {address: 10.0.0.5, inbound: [{port: 8080}]}
    ---
    type: Dataplane
    mesh: shop
    name: frontend
    labels: {app: frontend}
    networking: {address: 10.0.0.6, inbound: [{port: 8080}]}
  YAML

  access = provider::kuma::access(
    [local.documents, kuma_mesh.shop, kuma_mesh_traffic_permission.payments],
    "shop",
    { to = ["payments"] },
  )
}

output "callers_of_payments" {
  value = flatten([for a in local.access.access : a.clients if a.allowed])

  # Fails the plan.
  precondition {
    condition = alltrue([
      for a in local.access.access : a.clients == tolist(["frontend"]) if a.allowed
    ])
    error_message = local.access.summary
  }
}
