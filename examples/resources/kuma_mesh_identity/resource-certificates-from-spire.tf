# The proxies of the warehouse get their certificates from SPIRE.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_identity" "warehouse" {
  mesh = kuma_mesh.shop.name
  name = "warehouse"

  spec {
    selector {
      dataplane {
        match_labels = { team = "warehouse" }
      }
    }
    spiffe_id {
      trust_domain = "warehouse.example"
      path         = "/workload/{{ .Workload }}"
    }
    provider {
      type = "Spire"
      spire {
        agent {
          timeout = "2s"
        }
      }
    }
  }
}
