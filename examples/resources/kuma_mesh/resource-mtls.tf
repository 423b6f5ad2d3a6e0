# Kuma 2.x only. A mesh for universal services: mutual TLS with a CA that Kuma
# generates, services addressed by MeshService only, no default policies, and
# only proxies with a team.

resource "kuma_mesh" "shop" {
  name                           = "shop"
  labels                         = { owner = "platform" }
  skip_creating_initial_policies = ["*"]

  mesh_services {
    mode = "Exclusive"
  }

  mtls {
    enabled_backend = "ca-1"
    backends {
      name = "ca-1"
      type = "builtin"
      dp_cert {
        rotation {
          expiration = "1d"
        }
      }
      conf {
        ca_cert {
          rsa_bits   = 2048
          expiration = "10y"
        }
      }
    }
  }

  networking {
    outbound {
      passthrough = false
    }
  }

  constraints {
    dataplane_proxy {
      requirements {
        tags = { team = "*" }
      }
    }
  }
}
