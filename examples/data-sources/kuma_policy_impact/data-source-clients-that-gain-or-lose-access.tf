# No change may give a client access to a service that it could not call before, or take it
# away.
resource "kuma_mesh_traffic_permission" "checkout" {
  mesh = "shop"
  name = "checkout"

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
  # What is applied. Without documents, the data source reads what the control plane
  # stores.
  applied = <<-YAML
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
    name: checkout
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: checkout}}}
      ports: [{port: 80, targetPort: 8080, name: http}]
    ---
    type: Dataplane
    mesh: shop
    name: checkout-1
    labels: {app: checkout}
    networking: {address: 10.0.0.5, inbound: [{port: 8080}]}
    ---
    type: Dataplane
    mesh: shop
    name: frontend
    labels: {app: frontend}
    networking: {address: 10.0.0.6, inbound: [{port: 8080}]}
    ---
    type: Dataplane
    mesh: shop
    name: batch
    labels: {app: batch}
    networking: {address: 10.0.0.7, inbound: [{port: 8080}]}
    ---
    type: MeshTrafficPermission
    mesh: shop
    name: checkout
    spec:
      rules:
      - default:
          allow: [{spiffeID: {type: Exact, value: spiffe://shop.example/workload/frontend}}]
  YAML

  access_planned = [kuma_mesh_traffic_permission.checkout]
}

data "kuma_policy_impact" "access" {
  mesh      = "shop"
  documents = [local.applied]
  planned   = local.access_planned
}

# Empty in every plan that passes, so that the outputs never change.
output "new_access" {
  value = data.kuma_policy_impact.access.access_gained

  precondition {
    condition     = data.kuma_policy_impact.access.counts.access_gained == 0
    error_message = "A client would gain access.\n\n${data.kuma_policy_impact.access.summary}"
  }
}

output "lost_access" {
  value = data.kuma_policy_impact.access.access_lost

  precondition {
    condition     = data.kuma_policy_impact.access.counts.access_lost == 0
    error_message = "A client would lose access.\n\n${data.kuma_policy_impact.access.summary}"
  }
}
