# The control plane creates the Workload of a Dataplane. On a running mesh,
# import it to add labels.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_dataplane" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-1"
  labels = { "kuma.io/workload" = "checkout" }

  networking {
    address = "10.0.0.5"
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}

resource "kuma_workload" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = { team = "payments" }

  spec {}

  depends_on = [kuma_dataplane.checkout]
}
