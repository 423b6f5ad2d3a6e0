# Run with terraform test. Requires neither a control plane nor network access.

provider "kuma" {
  embedded {
    directory    = "./.mesh"
    zone         = "zone-1"
    kuma_version = "3.0"
  }
}

run "canary" {
  command = plan

  # Requests of the storefront.
  assert {
    condition = alltrue([
      for request in [["GET", "/orders"], ["DELETE", "/orders/1"], ["GET", "/cart"]] :
      [for b in provider::kuma::request(local.planned, {
        mesh      = "shop"
        dataplane = "storefront-1"
        service   = "checkout"
        method    = request[0]
        path      = request[1]
      }).backends : "${b.name} ${b.percent}"] == ["checkout 90", "checkout-v2 10"]
    ])
    error_message = "Version 1 must get 90% of all requests, and version 2 the rest."
  }

  # Clients that have no Dataplane yet.
  assert {
    condition = alltrue([
      for client in ["reports", "storefront-2"] :
      provider::kuma::request(local.planned, {
        mesh      = "shop"
        spiffe_id = "spiffe://shop.mesh.local/workload/${client}"
        service   = "checkout"
        path      = "/orders"
      }).verdict == "denied"
    ])
    error_message = "No client but the storefront may read orders."
  }
}

# The checks must also pass after the promotion of version 2.
run "promoted" {
  command = plan

  variables {
    percent = 100
  }
}
