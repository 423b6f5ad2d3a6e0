# Refuses to plan a change that would break something in the mesh.
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
  # Through a local value, the mesh is looked at when planning.
  planned = [kuma_mesh_timeout.checkout]
}

data "kuma_mesh_lint" "planned" {
  mesh    = "shop"
  planned = local.planned
  ignore = [
    "deprecated",
    "selects-no-proxy:MeshTimeout/checkout", # its proxies start later
  ]

  lifecycle {
    postcondition {
      condition     = alltrue([for f in self.findings : f.severity != "error"])
      error_message = self.summary
    }
  }
}

output "findings" {
  value = data.kuma_mesh_lint.planned.summary
}
