resource "kuma_mesh" "test" {
  name                           = "shop"
  labels                         = { owner = "platform" }
  skip_creating_initial_policies = ["*"]

  mesh_services {
    mode = "Disabled"
  }
  mtls {
    enabled_backend = "ca-1"
    backends {
      name = "ca-1"
      type = "builtin"
      mode = "STRICT"
      dp_cert {
        rotation {
          expiration = "1d"
        }
        request_timeout = "1m" # respelled: "60s"
      }
    }
  }
}
