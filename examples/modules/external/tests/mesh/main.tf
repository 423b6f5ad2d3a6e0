# A mesh with a zone egress and a client.

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

resource "kuma_dataplane" "egress" {
  mesh   = kuma_mesh.shop.name
  name   = "egress-1"
  labels = { "kuma.io/workload" = "egress" }

  networking {
    address = "192.0.2.9"
    listeners {
      type    = "ZoneEgress"
      name    = "egress"
      address = "192.0.2.9"
      port    = 10002
    }
  }
}

resource "kuma_dataplane" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-1"
  labels = { "kuma.io/workload" = "checkout" }

  networking {
    address = "192.0.2.1"
    inbound {
      name     = "http"
      port     = 8080
      protocol = "http"
    }
  }
}

output "name" {
  value = kuma_mesh.shop.name
}
