locals {
  planned = [kuma_mesh_timeout.checkout]
}

# What the policies would change in the settings of proxies if none was staged.
data "kuma_policy_impact" "staged" {
  mesh        = "shop"
  planned     = local.planned
  with_shadow = true
}

# What they would change in the Envoy configuration of one proxy.
data "kuma_proxy_config" "checkout" {
  mesh       = "shop"
  dataplane  = "checkout-1"
  shadow     = true
  depends_on = [kuma_mesh_timeout.checkout]
}

output "settings" {
  value = data.kuma_policy_impact.staged.summary
}

output "envoy" {
  value = data.kuma_proxy_config.checkout.summary
}
