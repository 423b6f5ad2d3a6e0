# How the changes of a module affect the mesh, including instances that the module
# no longer contains.
variable "limits" {
  description = "Maximum stream durations of clients, by app."
  type        = map(string)
  default     = { checkout = "10m", batch = "1h" }
}

locals {
  planned = values(kuma_mesh_timeout.limit)
}

resource "kuma_mesh_timeout" "limit" {
  for_each = var.limits
  mesh     = "shop"
  name     = "${each.key}-limit"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = each.key }
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          max_stream_duration = each.value
        }
      }
    }
  }
}

data "kuma_policy_impact" "module" {
  mesh     = "shop"
  planned  = local.planned
  complete = true # the condition below checks every change
}

locals {
  lost = [for c in data.kuma_policy_impact.module.changes : c if c.after == null]
}

# Empty in every plan that passes, so that the output never changes.
output "lost_limits" {
  value = local.lost

  precondition {
    condition     = length(local.lost) == 0
    error_message = "A proxy would lose its limit.\n\n${data.kuma_policy_impact.module.summary}"
  }
}
