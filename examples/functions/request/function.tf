# Tests a route of this configuration before the mesh exists: which timeout a request
# for reports has, and which policy sets it.
resource "kuma_mesh" "market" {
  name = "market"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_timeout" "reports" {
  mesh = kuma_mesh.market.name
  name = "reports"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "backend" }
      }
      default {
        http {
          request_timeout = "60s"
        }
      }
    }
  }
}

locals {
  services = <<-YAML
    type: MeshService
    mesh: market
    name: backend
    labels: {app: backend}
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: backend}}}
      ports: [{port: 80, targetPort: 8080, appProtocol: http}]
    ---
    type: Dataplane
    mesh: market
    name: backend-1
    labels: {app: backend}
    networking: {address: 10.0.0.6, inbound: [{port: 8080, protocol: http}]}
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

  reports = provider::kuma::request(
    [local.services, kuma_mesh_timeout.reports],
    { mesh = "market", dataplane = "frontend-1", service = "backend", path = "/reports" },
  )
}

output "timeout" {
  value = "${local.reports.timeouts.request.value}, set by ${local.reports.timeouts.request.policy}"
}

output "explanation" {
  value = local.reports.explanation
}
