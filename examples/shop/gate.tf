# What a plan is judged by, before anything is written.

locals {
  # A local value, so that the mesh is analysed when planning: a data source that
  # names resources directly waits for them to be applied.
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

# What the plan does to each proxy. The pull request takes it from the plan (README.md):
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

locals {
  storefront_to_checkout = data.kuma_effective_rules.storefront.destination_conf
}

output "errors" {
  description = "What would break in the mesh: nothing, because a plan with errors fails."
  value       = data.kuma_mesh_lint.shop.counts["error"]

  # In the data block, a condition would postpone the data source until after the apply.
  precondition {
    condition     = data.kuma_mesh_lint.shop.counts["error"] == 0
    error_message = data.kuma_mesh_lint.shop.summary
  }
}

# The checks warn, and the plan goes on.

check "lint_finds_nothing" {
  assert {
    condition     = length(data.kuma_mesh_lint.shop.findings) == 0
    error_message = data.kuma_mesh_lint.shop.summary
  }
}

check "storefront_waits_for_checkout" {
  assert {
    condition     = local.storefront_to_checkout["MeshTimeout"].conf.http.requestTimeout == var.checkout_timeout
    error_message = data.kuma_effective_rules.storefront.explanation
  }
}

check "retries_of_checkout_are_few" {
  assert {
    condition     = local.storefront_to_checkout["MeshRetry"].conf.http.numRetries <= 3
    error_message = "Many retries make an overload of checkout worse.\n\n${data.kuma_effective_rules.storefront.explanation}"
  }
}

check "canary_gets_its_share" {
  assert {
    condition     = one([for ref in local.storefront_to_checkout["MeshHTTPRoute"].conf.rules[1].default.backendRefs : ref.weight if ref.labels["kuma.io/display-name"] == "checkout-canary"]) == var.canary_weight
    error_message = data.kuma_effective_rules.storefront.explanation
  }
}
