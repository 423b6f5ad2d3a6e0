# Kuma 2.x only.
resource "kuma_mesh_gateway" "edge" {
  mesh = kuma_mesh.shop.name
  name = "edge"

  selectors {
    match = { "kuma.io/service" = "edge" }
  }
  conf {
    listeners {
      port     = 8080
      protocol = "HTTP"
    }
  }
}

resource "kuma_dataplane" "builtin" {
  mesh   = kuma_mesh.shop.name
  name   = "edge-2"
  labels = { "kuma.io/workload" = "edge" }

  networking {
    address = "10.0.0.6"
    gateway {
      type = "BUILTIN"
      tags = { "kuma.io/service" = "edge" }
    }
  }
}

resource "kuma_mesh_http_route" "edge" {
  mesh = kuma_mesh.shop.name
  name = "edge"

  spec {
    target_ref {
      kind = "MeshGateway"
      name = kuma_mesh_gateway.edge.name
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = "/"
          }
        }
        default {
          backend_refs {
            kind   = "MeshService"
            labels = kuma_mesh_service.checkout.labels
            port   = 80
          }
        }
      }
    }
  }
}

resource "kuma_mesh_traffic_permission" "builtin" {
  mesh = kuma_mesh.shop.name
  name = "gateway-calls-checkout"

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

data "kuma_request" "builtin" {
  mesh       = kuma_mesh.shop.name
  dataplane  = kuma_dataplane.builtin.name
  host       = "www.shop.example"
  port       = 8080
  depends_on = [kuma_mesh_http_route.edge, kuma_mesh_traffic_permission.builtin]
}

output "builtin" {
  value = data.kuma_request.builtin.verdict
}
