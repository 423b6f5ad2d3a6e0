# Warns if kuma-dp was started with a file of a Dataplane that Terraform manages: it
# overwrites the Dataplane, and the control plane deletes it after the proxy has stopped.
locals {
  managed = ["checkout-1"] # the names of the kuma_dataplane resources
}

data "kuma_proxies" "shop" {
  mesh     = "shop"
  complete = true
}

check "owners_of_dataplanes" {
  assert {
    condition = alltrue([
      for p in data.kuma_proxies.shop.proxies : !contains(local.managed, p.name)
      if p.owns_dataplane
    ])
    error_message = "kuma-dp manages the Dataplanes of ${join(", ", [
      for p in data.kuma_proxies.shop.proxies : p.name if p.owns_dataplane
    ])}."
  }
}
