# nginx on the machine 10.0.0.5 passes requests to 127.0.0.1:9000.
resource "kuma_dataplane" "edge" {
  mesh   = kuma_mesh.shop.name
  name   = "edge-1"
  labels = { "kuma.io/workload" = "edge" }

  networking {
    address = "10.0.0.5"

    # Policies apply only to proxies with an inbound. Nothing can call this one.
    inbound {
      name     = "unused"
      address  = "127.0.0.1"
      port     = 65000
      protocol = "tcp"
    }
    outbound {
      port = 9000
      backend_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.checkout.labels
        port   = 80
      }
    }
  }
}

resource "kuma_mesh_traffic_permission" "edge" {
  mesh = kuma_mesh.shop.name
  name = "edge-calls-checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = kuma_dataplane.checkout.labels
    }
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.mesh.local/workload/edge"
          }
        }
      }
    }
  }
}

data "kuma_request" "edge" {
  mesh      = "shop"
  planned   = local.planned # in request.tf
  dataplane = "edge-1"
  service   = "checkout"
}

output "edge" {
  value = data.kuma_request.edge.verdict
}
