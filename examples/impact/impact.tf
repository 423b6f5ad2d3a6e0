# How the plan affects each proxy, before anything is applied.

locals {
  # A local value, so that the impact is computed during the plan: a data source
  # that refers to resources directly is read after they are applied.
  planned = concat(
    [kuma_mesh.shop, kuma_mesh_timeout.default, kuma_mesh_timeout.payments],
    values(kuma_mesh_service.service),
    values(kuma_dataplane.proxy),
  )
}

data "kuma_policy_impact" "shop" {
  mesh     = "shop"
  planned  = local.planned
  complete = true # a condition below checks every change
}

# Warns without failing the plan.
check "batch_jobs_do_not_change" {
  assert {
    condition = !anytrue([
      for name in data.kuma_policy_impact.shop.dataplanes_changed : startswith(name, "batch-")
    ])
    error_message = "Batch jobs change, too: inform the team that runs them."
  }
}

locals {
  lost = [
    for c in data.kuma_policy_impact.shop.changes : c
    if c.path == "http.requestTimeout" && c.before != null
    && (c.after == null || c.after == jsonencode("0s"))
  ]
}

# An output of the impact itself would change with every plan. This one is empty in
# every plan that passes.
output "lost_timeouts" {
  value = local.lost

  # Fails the plan, which a check block cannot. It is here because conditions
  # in the data block would postpone the data source until after the apply.
  precondition {
    condition     = length(local.lost) == 0
    error_message = "A proxy would lose its request timeout.\n\n${data.kuma_policy_impact.shop.summary}"
  }
}
