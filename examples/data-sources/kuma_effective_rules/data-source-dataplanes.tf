# What all proxies of a service get, told once for those with the same rules.
data "kuma_effective_rules" "checkout" {
  mesh    = "shop"
  types   = ["MeshTimeout", "MeshRetry"]
  include = ["conf"]

  dataplanes {
    service = "checkout" # a MeshService, or the tag kuma.io/service of the proxies
  }
}

# Are all proxies of this service alike?
check "checkout_is_alike" {
  assert {
    condition     = data.kuma_effective_rules.checkout.group_count == 1
    error_message = data.kuma_effective_rules.checkout.explanation
  }
}

# The settings of each group, by the name of its first proxy.
output "timeouts" {
  value = {
    for group in data.kuma_effective_rules.checkout.groups :
    "${group.dataplanes[0]} (${group.dataplane_count} proxies)" => try(jsondecode(group.conf)["MeshTimeout"], {})
  }
}
