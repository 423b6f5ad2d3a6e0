# The effective rules of all proxies of a service, once for each group with equal
# rules.
data "kuma_effective_rules" "checkout" {
  mesh    = "shop"
  types   = ["MeshTimeout", "MeshRetry"]
  include = ["conf"]

  dataplanes {
    service = "checkout" # a MeshService, or in Kuma 2.x the tag kuma.io/service
  }
}

# Warns if the proxies of this service have different rules.
check "checkout_is_uniform" {
  assert {
    condition     = data.kuma_effective_rules.checkout.group_count == 1
    error_message = data.kuma_effective_rules.checkout.explanation
  }
}

# The settings of each group, by the name of its first proxy.
output "timeouts" {
  value = {
    for group in data.kuma_effective_rules.checkout.groups :
    group.dataplanes[0] => {
      proxies  = group.dataplane_count
      timeouts = try(jsondecode(group.conf)["MeshTimeout"], {})
    }
  }
}
