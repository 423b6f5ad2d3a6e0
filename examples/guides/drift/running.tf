# Where the settings of a proxy differ on their way from the configuration to the proxy.
variable "proxy" {
  description = "Name of the Dataplane."
  type        = string
  default     = "checkout-1"
}

data "kuma_effective_rules" "stored" {
  mesh      = "shop"
  dataplane = var.proxy
}

data "kuma_effective_rules" "planned" {
  mesh      = "shop"
  dataplane = var.proxy
  planned   = local.changes
}

locals {
  changes = [kuma_mesh_timeout.checkout]
}

data "kuma_proxy_config" "generated" {
  mesh      = "shop"
  dataplane = var.proxy
}

data "kuma_proxies" "running" {
  mesh     = "shop"
  complete = true
}

locals {
  running   = one([for p in data.kuma_proxies.running.proxies : p if p.name == var.proxy])
  responses = try(local.running.responses, null)

  differs = compact([
    data.kuma_proxy_config.generated.problem == null ? "" : "not generated",
    try(local.running.connected, false) ? "" : "not sent, because the proxy is not connected",
    try(local.responses.rejected, 0) == 0 ? "" : "rejected",
    try(local.responses.pending, 0) == 0 ? "" : "not acknowledged",
  ])
}

output "the_plan_changes_rules" {
  value = data.kuma_effective_rules.planned.digest != data.kuma_effective_rules.stored.digest
}

check "stored_rules_are_in_effect" {
  assert {
    condition     = length(local.differs) == 0
    error_message = "${var.proxy}: the configuration is ${join(", ", local.differs)}."
  }
}

resource "kuma_mesh_timeout" "checkout" {
  mesh = "shop"
  name = "checkout"

  spec {
    rules {
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
  }
}
