# How a change affects the proxies of a mesh, computed during the plan.
resource "kuma_mesh_timeout" "payments" {
  mesh = "shop"
  name = "payments"

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          max_stream_duration = "10m"
        }
      }
    }
  }
}

locals {
  # A local value, so that the impact is computed during the plan.
  planned = [kuma_mesh_timeout.payments]
}

data "kuma_policy_impact" "planned" {
  mesh     = "shop"
  planned  = local.planned
  complete = true # the condition below checks every change
}

locals {
  lost = [
    for c in data.kuma_policy_impact.planned.changes : c
    if c.type == "MeshTimeout" && c.after == null
  ]
}

# Empty in every plan that passes, so that the output never changes.
output "lost_timeouts" {
  value = local.lost

  # Fails the plan; a check block would only warn. With a postcondition of the data
  # source instead, Terraform would read it only after the apply.
  precondition {
    condition     = length(local.lost) == 0
    error_message = "A proxy would lose a timeout.\n\n${data.kuma_policy_impact.planned.summary}"
  }
}
