locals {
  versions = ["checkout", "checkout-v2"]
}

data "kuma_request" "orders" {
  mesh      = "shop"
  planned   = local.planned
  dataplane = "storefront-1"
  service   = "checkout"
  method    = "GET"
  path      = "/orders"
}

data "kuma_access" "checkout" {
  mesh     = "shop"
  planned  = local.planned
  to       = local.versions
  complete = true # the condition below evaluates every client
}

locals {
  percent = { for b in data.kuma_request.orders.backends : b.name => b.percent }

  # Clients have the name of their service or, without one, of their Dataplane.
  dataplanes = { for c in data.kuma_access.checkout.clients : c.name => c.dataplanes }
  callers = {
    for service in local.versions : service => distinct(flatten([
      for a in data.kuma_access.checkout.access : [for c in a.clients : local.dataplanes[c]]
      if a.service == service && a.allowed
    ]))
  }
}

check "storefront_reads_orders" {
  assert {
    condition     = data.kuma_request.orders.verdict == "allowed"
    error_message = <<-EOT
      The storefront must be allowed to read orders.

      ${data.kuma_request.orders.explanation}
    EOT
  }

  assert {
    condition     = lookup(local.percent, "checkout", 0) == 100 - var.percent
    error_message = <<-EOT
      Version 1 must get ${100 - var.percent}% of the orders.

      ${data.kuma_request.orders.explanation}
    EOT
  }
}

check "only_storefront_calls_checkout" {
  assert {
    condition     = alltrue([for clients in local.callers : join(",", clients) == "storefront-1"])
    error_message = <<-EOT
      Only the storefront may call checkout.

      ${data.kuma_access.checkout.matrix}
    EOT
  }
}
