resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_external_service" "payments" {
  mesh = kuma_mesh.shop.name
  name = "payments"

  spec {
    match {
      port     = 80
      protocol = "http"
    }
    endpoints {
      address = "api.payments.example.com"
      port    = 443
    }
  }
}

# Allows checkout to reach the payment provider through the zone egress.
resource "kuma_mesh_traffic_permission" "payments" {
  mesh = kuma_mesh.shop.name
  name = "payments"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { "kuma.io/listener-zoneegress" = "enabled" }
    }
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.zone-1.mesh.local/workload/checkout"
          }
          sni {
            type  = "Exact"
            value = provider::kuma::sni(kuma_mesh_external_service.payments)
          }
        }
      }
    }
  }
}

# For a service with several ports, the second argument selects one of them.
output "checkout_admin" {
  value = provider::kuma::sni(
    { kind = "MeshService", mesh = "shop", zone = "zone-1", name = "checkout" },
    "admin",
  )
}
