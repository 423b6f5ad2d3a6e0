# Before an upgrade of the control plane to Kuma 3.0: the proxies whose kuma-dp lacks a
# feature that it requires, with the features.
data "kuma_proxies" "all" {
  mesh     = "shop"
  complete = true

  # Zone ingresses and zone egresses must be upgraded as well.
  zone_proxies = true
}

output "upgrade_first" {
  value = {
    for p in data.kuma_proxies.all.proxies : "${p.type} ${p.name}" => p.missing_kuma3_features
    if p.connected && length(coalesce(p.missing_kuma3_features, [])) > 0
  }
}

output "versions" {
  value = data.kuma_proxies.all.versions
}
