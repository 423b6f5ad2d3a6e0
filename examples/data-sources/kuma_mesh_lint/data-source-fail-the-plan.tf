# Fails the plan of a change that would break something in the mesh.
resource "kuma_mesh_timeout" "checkout" {
  mesh = "shop"
  name = "checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    to {
      target_ref {
        kind = "Mesh"
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
  # A local value, so that the mesh is checked during the plan.
  planned = [kuma_mesh_timeout.checkout]
}

data "kuma_mesh_lint" "planned" {
  mesh    = "shop"
  planned = local.planned
  ignore = [
    "deprecated",
    "selects-no-proxy:MeshTimeout/checkout", # its proxies start later
  ]
}

output "errors" {
  value = data.kuma_mesh_lint.planned.counts["error"]

  # Fails the plan. With a postcondition of the data source instead, Terraform would
  # read it only after the apply.
  precondition {
    condition     = data.kuma_mesh_lint.planned.counts["error"] == 0
    error_message = data.kuma_mesh_lint.planned.summary
  }
}
