# Warns in every plan and apply while a proxy of the service or its zone is not connected,
# or the proxy has rejected its configuration.
data "kuma_proxies" "checkout" {
  mesh = "shop"

  dataplanes {
    service = "checkout"
  }
}

check "proxies_of_checkout" {
  assert {
    condition = alltrue([
      for status in ["offline", "unknown"] : data.kuma_proxies.checkout.counts[status] == 0
    ])
    error_message = data.kuma_proxies.checkout.summary
  }
  assert {
    condition = alltrue([
      for p in data.kuma_proxies.checkout.proxies : try(p.responses.rejected, 0) == 0
    ])
    error_message = data.kuma_proxies.checkout.summary
  }
}

output "proxies_of_checkout" {
  value = data.kuma_proxies.checkout.summary
}
