# The effective rules of a stored proxy after this configuration is applied.
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
  # A local value, so that the rules are computed during the plan.
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
