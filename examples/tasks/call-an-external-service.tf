resource "kuma_mesh_external_service" "payments" {
  mesh   = kuma_mesh.shop.name
  name   = "payments"
  labels = { "kuma.io/display-name" = "payments" }

  spec {
    match {
      port     = 80
      protocol = "http"
    }
    endpoints {
      address = "api.payments.example.com"
      port    = 443
    }
    tls {
      enabled = true
      verification {
        server_name = "api.payments.example.com"
      }
    }
  }
}

# One zone egress for all external services of the mesh.
resource "kuma_dataplane" "egress" {
  mesh   = kuma_mesh.shop.name
  name   = "egress-1"
  labels = { "kuma.io/workload" = "egress" }

  networking {
    address = "10.0.0.9"
    listeners {
      type    = "ZoneEgress"
      name    = "egress"
      address = "10.0.0.9"
      port    = 10002
    }
  }
}

# The client, which calls the service at 127.0.0.1:9002.
resource "kuma_dataplane" "billing" {
  mesh   = kuma_mesh.shop.name
  name   = "billing-1"
  labels = { "kuma.io/workload" = "billing" }

  networking {
    address = "10.0.0.7"
    inbound {
      port     = 8080
      protocol = "http"
    }
    outbound {
      port = 9002
      backend_ref {
        kind   = "MeshExternalService"
        labels = kuma_mesh_external_service.payments.labels
        port   = 80
      }
    }
  }
}

resource "kuma_mesh_traffic_permission" "payments" {
  mesh = kuma_mesh.shop.name
  name = "billing-calls-payments"

  spec {
    target_ref {
      kind = "Dataplane"
      # The control plane adds this label to the egress.
      labels = { "kuma.io/listener-zoneegress" = "enabled" }
    }
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.mesh.local/workload/billing"
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
