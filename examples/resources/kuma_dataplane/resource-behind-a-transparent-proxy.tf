# A proxy with a named inbound and a health check of the service, behind a
# transparent proxy that reaches a single service.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_dataplane" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout-1"
  labels = {
    app                = "checkout"
    team               = "payments"
    "kuma.io/workload" = "checkout"
  }

  networking {
    address = "10.0.0.5"
    inbound {
      name            = "http"
      port            = 8080
      protocol        = "http"
      service_port    = 18080
      service_address = "127.0.0.1"
      service_probe {
        interval            = "10s"
        timeout             = "2s"
        unhealthy_threshold = 3
        healthy_threshold   = 1
        tcp {}
      }
    }
    transparent_proxying {
      redirect_port_inbound  = 15006
      redirect_port_outbound = 15001
      reachable_backends {
        refs {
          kind   = "MeshService"
          labels = { app = "payments" }
          port   = 8080
        }
      }
    }
    admin {
      port = 9901
    }
  }
}
