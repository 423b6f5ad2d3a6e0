# The mesh of the service that is tested.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_identity" "identity" {
  mesh = kuma_mesh.shop.name
  name = "identity"

  spec {
    selector {
      dataplane {
        match_labels = {}
      }
    }
    spiffe_id {
      trust_domain = "shop.mesh.local"
      path         = "/workload/{{ .Workload }}"
    }
    provider {
      type = "Bundled"
      bundled {
        insecure_allow_self_signed = true
        autogenerate {
          enabled = true
        }
      }
    }
  }
}

output "name" {
  value = kuma_mesh.shop.name
}
