resource "kuma_mesh_identity" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "shop"

  spec {
    selector {
      dataplane {
        match_labels = { app = "web" }
      }
    }
    spiffe_id {
      trust_domain = "shop.example"
      path         = "/workload/{{ .Workload }}"
    }
    provider {
      type = "Bundled"
      bundled {
        ca {
          certificate {
            type = "File"
            file {
              path = "/etc/kuma/ca.crt"
            }
          }
          private_key {
            type = "EnvVar"
            env_var {
              name = "CA_KEY"
            }
          }
        }
      }
      spire {
        agent {
          timeout = "1m30s"
        }
      }
      extension {
        name   = "vendor"
        config = "{\"a\":1}"
      }
    }
  }
}
