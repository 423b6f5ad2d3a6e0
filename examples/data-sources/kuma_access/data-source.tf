# Only frontend may call payments, checked during the plan.
resource "kuma_mesh_traffic_permission" "payments" {
  mesh = "shop"
  name = "payments"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "payments" }
    }
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

# The rest of the mesh, as documents. Without them, the data source reads what the
# control plane stores.
locals {
  mesh = <<-YAML
    type: Mesh
    name: shop
    ---
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
    labels: {app: payments}
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
    networking:
      address: 10.0.0.6
      inbound: [{port: 8080}]
      outbound: [{port: 9001, backendRef: {kind: MeshService, labels: {app: payments}, port: 80}}]
    ---
    type: Dataplane
    mesh: shop
    name: batch
    labels: {app: batch}
    networking: {address: 10.0.0.7, inbound: [{port: 8080}]}
  YAML

  # A local value, so that the access is computed during the plan.
  planned = [kuma_mesh_traffic_permission.payments]
}

data "kuma_access" "payments" {
  mesh      = "shop"
  documents = [local.mesh]
  planned   = local.planned
  to        = ["payments"]
  complete  = true # the condition below evaluates every client
}

locals {
  callers = distinct(flatten([for a in data.kuma_access.payments.access : a.clients if a.allowed]))
}

output "callers_of_payments" {
  value = local.callers

  # Fails the plan; a check block would only warn.
  precondition {
    condition     = toset(local.callers) == toset(["frontend"])
    error_message = "Only frontend may call payments.\n\n${data.kuma_access.payments.matrix}"
  }
}
