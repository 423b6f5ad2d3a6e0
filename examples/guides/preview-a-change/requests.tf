# Fails the plan if requests change that must stay as they are: only those below
# /v2 may go to another service.
resource "kuma_mesh_http_route" "checkout_v2" {
  mesh = "shop"
  name = "checkout-v2"

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
            value = "/v2"
          }
        }
        default {
          backend_refs {
            kind   = "MeshService"
            labels = { app = "checkout-canary" }
            port   = 80
          }
        }
      }
      # In Kuma 3.0, requests that no rule matches get 404.
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
          }
        }
      }
    }
  }
}

locals {
  # What is applied. Without documents, the data source reads what the control plane
  # stores.
  stored_services = <<-YAML
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
    networking:
      address: 10.0.0.7
      inbound: [{port: 8080}]
      outbound:
        - port: 9001
          backendRef: {kind: MeshService, labels: {app: checkout}, port: 80}
  YAML

  v2_planned = [kuma_mesh_http_route.checkout_v2]
}

data "kuma_policy_impact" "v2" {
  mesh      = "shop"
  documents = [local.stored_services]
  planned   = local.v2_planned
}

output "requests_below_v2" {
  value = [for c in data.kuma_policy_impact.v2.requests_changed : c.text]

  precondition {
    condition = data.kuma_policy_impact.v2.counts.requests_not_compared == 0 && alltrue([
      for r in flatten(data.kuma_policy_impact.v2.requests_changed[*].requests) :
      strcontains(r, " /v2")
    ])
    error_message = "Only requests below /v2 may change.\n\n${data.kuma_policy_impact.v2.summary}"
  }
}
