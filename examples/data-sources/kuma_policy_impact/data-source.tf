# What a change does to all proxies of a mesh, known when planning.
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
          request_timeout = "5s"
        }
      }
    }
  }
}

locals {
  # Through a local value, the impact is computed when planning.
  planned = [kuma_mesh_timeout.payments]
}

data "kuma_policy_impact" "planned" {
  mesh     = "shop"
  planned  = local.planned
  complete = true # a condition below looks at every change
}

locals {
  lost = [for c in data.kuma_policy_impact.planned.changes : c if c.type == "MeshTimeout" && c.after == null]
}

# Empty in every plan that passes, so that it is never a change of its own.
output "lost_timeouts" {
  value = local.lost

  # Fails the plan, where a check block only warns. A postcondition of the data
  # source would postpone it until after the apply.
  precondition {
    condition     = length(local.lost) == 0
    error_message = "A proxy would lose a timeout.\n\n${data.kuma_policy_impact.planned.summary}"
  }
}
