# The payment provider, which only checkout reaches, through the zone egress.

module "payments" {
  source = "../modules/external"

  mesh         = module.mesh.name
  trust_domain = module.mesh.trust_domain
  name         = "payments"
  port         = 80
  endpoints    = [{ address = "api.payments.example.com", port = 443 }]
  callers      = [module.checkout.name]
}

resource "kuma_dataplane" "egress" {
  mesh   = module.mesh.name
  name   = "egress-1"
  labels = { "kuma.io/workload" = "egress" }

  networking {
    address = "10.0.9.1"
    listeners {
      type    = "ZoneEgress"
      name    = "egress"
      address = "10.0.9.1"
      port    = 10002
    }
  }
}
