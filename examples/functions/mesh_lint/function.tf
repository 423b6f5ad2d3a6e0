# Problems of a mesh, from documents and resources that are not applied yet.
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
    type: MeshService
    mesh: shop
    name: payments
    labels: {app: payments}
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: payments}}}
      ports: [{port: 80, name: http}]
  YAML

  lint = provider::kuma::mesh_lint(
    [local.documents, kuma_mesh.shop, kuma_mesh_timeout.payments],
    "shop",
  )
}

output "errors" {
  value = local.lint.counts["error"]

  # Fails the plan.
  precondition {
    condition     = local.lint.counts["error"] == 0
    error_message = local.lint.summary
  }
}
