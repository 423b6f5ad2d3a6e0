data "kuma_resources" "shop" {
  mesh = "shop"
}

locals {
  stored = data.kuma_resources.shop.resources
  # After the change: resources of other configurations, and those of this one.
  others = [for r in local.stored : r.document if lookup(r.labels, "team", "") != "shop"]
  own    = concat([kuma_mesh.shop, kuma_mesh_timeout.limit], kuma_dataplane.web)
  impact = provider::kuma::policy_impact(
    local.stored[*].document,
    [local.others, local.own],
    "shop",
  )
  off = [
    for c in local.impact.changes : c
    if c.path == "http.requestTimeout" && c.after == jsonencode("0s")
  ]
}

output "limits_turned_off" {
  value = local.off

  precondition {
    condition     = length(local.off) == 0
    error_message = "A proxy would lose its request timeout.\n\n${local.impact.summary}"
  }
}
