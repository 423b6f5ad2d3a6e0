# What a proxy of a control plane would get after this configuration is applied.
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
  # Through a local value, the rules are computed when planning.
  planned = [kuma_mesh_timeout.payments]
}

data "kuma_effective_rules" "planned" {
  mesh      = "shop"
  dataplane = "checkout-1"
  planned   = local.planned
}

# Each value with the policy that set it, for the plan and for a pull request.
output "explanation" {
  value = data.kuma_effective_rules.planned.explanation
}
