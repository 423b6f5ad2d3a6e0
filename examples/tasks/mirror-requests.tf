# Since Kuma 3.0, a copy of each request goes to a service for tests.
resource "kuma_mesh_service" "shadow" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-test"
  labels = { "kuma.io/display-name" = "checkout-test" }

  spec {
    selector {
      dataplane_labels {
        match_labels = { "kuma.io/workload" = "checkout-test" }
      }
    }
    ports {
      port         = 80
      target_port  = 8080
      app_protocol = "http"
    }
  }
}

resource "kuma_mesh_http_route" "mirror" {
  mesh = kuma_mesh.shop.name
  name = "mirror"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.checkout.labels
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = "/"
          }
        }
        default {
          filters {
            type = "RequestMirror"
            request_mirror {
              percentage = 10
              backend_ref {
                kind   = "MeshService"
                labels = kuma_mesh_service.shadow.labels
                port   = 80
              }
            }
          }
        }
      }
    }
  }
}

data "kuma_request" "mirror" {
  mesh      = "shop"
  planned   = local.planned # in request.tf
  dataplane = "storefront-1"
  service   = "checkout"
}

output "mirrors" {
  value = {
    for m in data.kuma_request.mirror.mirrors : m.name => "${m.percent}%"
  }
}
