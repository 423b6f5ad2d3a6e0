# Conditions that each plan must meet, before anything is written.

locals {
  # A local value, so that the data sources are read during the plan. A data source that
  # refers to a resource directly is read only after the resource has been applied.
  planned = concat(
    module.mesh.resources,
    module.storefront.resources,
    module.checkout.resources,
    module.checkout_canary.resources,
    module.stock.resources,
    module.payments.resources,
    [kuma_dataplane.egress],
    module.edge.resources,
  )
}

data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = local.planned
  kuma3   = true
}

# What the plan changes for each proxy. README.md shows how to print it in a pull request:
# an output would change with every apply.
data "kuma_policy_impact" "shop" {
  mesh    = "shop"
  planned = local.planned
}

data "kuma_effective_rules" "storefront" {
  mesh      = "shop"
  dataplane = "storefront-1"
  planned   = local.planned

  destination {
    kind  = "MeshService"
    name  = "checkout"
    route = "checkout-canary"
  }
}

# Who may call payments.
data "kuma_request" "payments" {
  for_each = toset([module.storefront.name, module.checkout.name, module.stock.name])

  mesh           = "shop"
  planned        = local.planned
  client_service = each.key
  service        = module.payments.name
}

locals {
  to_checkout = data.kuma_effective_rules.storefront.destination_conf
}

output "errors" {
  description = "Number of errors in the mesh, which is 0 because a plan with errors fails."
  value       = data.kuma_mesh_lint.shop.counts["error"]

  # In the data block, a condition would postpone the data source until after the apply.
  precondition {
    condition     = data.kuma_mesh_lint.shop.counts["error"] == 0
    error_message = data.kuma_mesh_lint.shop.summary
  }
}

# Checks only warn.

check "lint_finds_nothing" {
  assert {
    condition     = length(data.kuma_mesh_lint.shop.findings) == 0
    error_message = data.kuma_mesh_lint.shop.summary
  }
}

check "storefront_waits_for_checkout" {
  assert {
    condition = (
      local.to_checkout["MeshTimeout"].conf.http.requestTimeout == var.checkout_timeout
    )
    error_message = data.kuma_effective_rules.storefront.explanation
  }
}

check "retries_of_checkout_are_few" {
  assert {
    condition     = local.to_checkout["MeshRetry"].conf.http.numRetries <= 3
    error_message = <<-EOT
      checkout must be retried at most 3 times, because retries make an overload worse.

      ${data.kuma_effective_rules.storefront.explanation}
    EOT
  }
}

check "canary_gets_its_share" {
  assert {
    condition = var.canary_weight == one([
      for ref in local.to_checkout["MeshHTTPRoute"].conf.rules[1].default.backendRefs : ref.weight
      if ref.labels["kuma.io/display-name"] == "checkout-canary"
    ])
    error_message = data.kuma_effective_rules.storefront.explanation
  }
}

check "only_checkout_calls_payments" {
  assert {
    condition = [module.checkout.name] == [
      for client, request in data.kuma_request.payments : client if request.verdict == "allowed"
    ]
    error_message = join("\n", values(data.kuma_request.payments)[*].explanation)
  }
}
