# Tests that the frontend may read orders, and that the canary gets 10% of these
# requests. The documents replace a control plane; without them, the data source uses
# what the control plane stores, and the resources in planned.
locals {
  services = <<-YAML
    type: MeshService
    mesh: market
    name: backend
    labels: {app: backend}
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: backend, version: v1}}}
      ports: [{port: 80, targetPort: 8080, appProtocol: http}]
    ---
    type: MeshService
    mesh: market
    name: backend-next
    labels: {app: backend-next}
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: backend, version: v2}}}
      ports: [{port: 80, targetPort: 8080, appProtocol: http}]
    ---
    type: Dataplane
    mesh: market
    name: backend-1
    labels: {app: backend, version: v1}
    networking: {address: 10.0.0.6, inbound: [{port: 8080, protocol: http}]}
    ---
    type: Dataplane
    mesh: market
    name: backend-2
    labels: {app: backend, version: v2}
    networking: {address: 10.0.0.7, inbound: [{port: 8080, protocol: http}]}
    ---
    type: Dataplane
    mesh: market
    name: frontend-1
    labels: {app: frontend}
    networking:
      address: 10.0.0.5
      inbound: [{port: 8080, protocol: http}]
      outbound: [{port: 10001, backendRef: {kind: MeshService, labels: {app: backend}, port: 80}}]
  YAML

  policies = <<-YAML
    type: MeshIdentity
    mesh: market
    name: identity
    spec:
      selector: {dataplane: {matchLabels: {}}}
      spiffeID: {trustDomain: market.example, path: '/workload/{{ label "app" }}'}
      provider:
        type: Bundled
        bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}}
    ---
    type: MeshTrafficPermission
    mesh: market
    name: frontend
    spec:
      targetRef: {kind: Dataplane, labels: {app: backend}}
      rules:
      - default:
          allow: [{spiffeID: {type: Exact, value: spiffe://market.example/workload/frontend}}]
    ---
    type: MeshHTTPRoute
    mesh: market
    name: canary
    spec:
      to:
      - targetRef: {kind: MeshService, labels: {app: backend}}
        rules:
        - matches: [{path: {type: PathPrefix, value: /orders}}]
          default:
            backendRefs:
            - {kind: MeshService, labels: {app: backend}, port: 80, weight: 90}
            - {kind: MeshService, labels: {app: backend-next}, port: 80, weight: 10}
  YAML
}

# Each version gets its share of the requests.
locals {
  percent = { for b in data.kuma_request.orders.backends : b.name => b.percent }
}

data "kuma_request" "orders" {
  mesh      = "market"
  documents = [local.services, local.policies]

  dataplane = "frontend-1"
  service   = "backend"
  port      = 80
  path      = "/orders"
}

# The same request of another client, of which only the SPIFFE ID matters.
data "kuma_request" "of_reports" {
  mesh      = "market"
  documents = [local.services, local.policies]

  spiffe_id = "spiffe://market.example/workload/reports"
  service   = "backend"
  port      = 80
  path      = "/orders"
}

check "orders" {
  assert {
    condition     = data.kuma_request.orders.verdict == "allowed"
    error_message = "The frontend must be allowed to read orders.\n\n${data.kuma_request.orders.explanation}"
  }
  assert {
    condition     = local.percent["backend"] == 90
    error_message = "The stable version must get 90% of the orders.\n\n${data.kuma_request.orders.explanation}"
  }
  assert {
    condition     = data.kuma_request.of_reports.verdict == "denied"
    error_message = "No one else may read orders.\n\n${data.kuma_request.of_reports.explanation}"
  }
}

output "explanation" {
  value = data.kuma_request.orders.explanation
}
