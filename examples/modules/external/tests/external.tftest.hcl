# Run with terraform test. Requires neither a control plane nor network access.

provider "kuma" {
  embedded {
    directory    = "./.mesh"
    zone         = "zone-1"
    kuma_version = "3.0"
  }
}

variables {
  mesh         = "shop"
  name         = "payments"
  port         = 80
  endpoints    = [{ address = "api.payments.example.com", port = 443 }]
  trust_domain = "shop.mesh.local"
}

run "mesh" {
  module {
    source = "./tests/mesh"
  }
}

run "minimal" {
  assert {
    condition     = length(output.resources) == 1 && output.sni == "sni.extsvc.shop.zone-1.payments.80" && output.hostname == "payments.extsvc.mesh.local"
    error_message = "SNI: ${output.sni}, host name: ${output.hostname}"
  }

  assert {
    condition     = kuma_mesh_external_service.this.spec.tls.enabled && kuma_mesh_external_service.this.spec.tls.verification.server_name == "api.payments.example.com"
    error_message = "By default, the egress must verify the certificate of the first endpoint."
  }
}

run "complete" {
  variables {
    protocol = "tcp"
    endpoints = [
      { address = "192.0.2.50", port = 5432, priority = 0 },
      { address = "192.0.2.51", port = 5432, priority = 1 },
    ]
    tls         = null
    callers     = ["checkout"]
    passthrough = { checkout = [{ type = "Domain", value = "mail.example.com", port = 587, protocol = "tls" }] }
  }
}

run "effective" {
  module {
    source = "./tests/rules"
  }

  variables {
    resources = run.complete.resources
  }

  assert {
    condition     = output.allowed[0].sni.value == "sni.extsvc.shop.zone-1.payments.80" && output.allowed[0].spiffeID.value == "spiffe://shop.mesh.local/workload/checkout"
    error_message = jsonencode(output.allowed)
  }

  assert {
    condition     = output.passthrough.passthroughMode == "Matched" && output.passthrough.appendMatch[0].value == "mail.example.com"
    error_message = jsonencode(output.passthrough)
  }

  assert {
    condition     = length(output.codes) == 0
    error_message = output.findings
  }
}

run "callers_need_a_trust_domain" {
  command = plan

  variables {
    trust_domain = null
    callers      = ["checkout"]
  }

  expect_failures = [kuma_mesh_traffic_permission.callers]
}

run "invalid" {
  command = plan

  variables {
    name          = "Payments"
    port          = 0
    protocol      = "https"
    endpoints     = []
    tls           = { min_version = "1.2" }
    callers       = ["Checkout"]
    egress_labels = {}
    passthrough   = { checkout = [{ type = "Domain", value = "mail.example.com", protocol = "tls" }] }
  }

  expect_failures = [var.name, var.port, var.protocol, var.endpoints, var.tls, var.callers, var.egress_labels, var.passthrough]
}
