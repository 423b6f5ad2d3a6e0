# The listeners that the control plane would send to a proxy now. The check warns if it
# cannot generate them: the proxy then gets no changes at all.
data "kuma_proxy_config" "checkout" {
  mesh      = "shop"
  dataplane = "checkout-1"
}

check "configuration" {
  assert {
    condition     = data.kuma_proxy_config.checkout.problem == null
    error_message = "checkout-1: ${coalesce(data.kuma_proxy_config.checkout.problem, "-")}"
  }
}

output "listeners" {
  value = try(data.kuma_proxy_config.checkout.resources["Listener"], [])
}
