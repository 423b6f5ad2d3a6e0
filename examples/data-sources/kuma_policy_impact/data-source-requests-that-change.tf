# Shows in the plan which requests go elsewhere.
resource "kuma_mesh_http_route" "checkout" {
  mesh = "shop"
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "checkout" }
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = "/"
          }
        }
        default {
          backend_refs {
            kind   = "MeshService"
            labels = { app = "checkout" }
            port   = 80
            weight = 90
          }
          backend_refs {
            kind   = "MeshService"
            labels = { app = "checkout-canary" }
            port   = 80
            weight = 10
          }
        }
      }
    }
  }
}

locals {
  # What is applied. Without documents, the data source reads what the control plane
  # stores.
  applied_services = <<-YAML
    type: Mesh
    name: shop
    meshServices: {mode: Exclusive}
    ---
    type: MeshService
    mesh: shop
    name: checkout
    labels: {app: checkout}
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: checkout}}}
      ports: [{port: 80, targetPort: 8080, name: http, appProtocol: http}]
    ---
    type: MeshService
    mesh: shop
    name: checkout-canary
    labels: {app: checkout-canary}
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: checkout-canary}}}
      ports: [{port: 80, targetPort: 8080, name: http, appProtocol: http}]
    ---
    type: Dataplane
    mesh: shop
    name: checkout-1
    labels: {app: checkout}
    networking: {address: 10.0.0.5, inbound: [{port: 8080}]}
    ---
    type: Dataplane
    mesh: shop
    name: checkout-canary-1
    labels: {app: checkout-canary}
    networking: {address: 10.0.0.6, inbound: [{port: 8080}]}
    ---
    type: Dataplane
    mesh: shop
    name: frontend
    labels: {app: frontend}
    networking: {address: 10.0.0.7, inbound: [{port: 8080}]}
  YAML

  requests_planned = [kuma_mesh_http_route.checkout]
}

data "kuma_policy_impact" "requests" {
  mesh      = "shop"
  documents = [local.applied_services]
  planned   = local.requests_planned
}

# "GET / on checkout port 80: checkout 100% → 90%, checkout-canary 0% → 10%"
output "requests_changed" {
  value = [for c in data.kuma_policy_impact.requests.requests_changed : c.text]
}
