resource "kuma_mesh_proxy_patch" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    default {
      append_modifications {
        network_filter {
          operation = "AddFirst"
          match {
            listener_name = "inbound:127.0.0.1:8080"
            listener_tags = { "kuma.io/service" = "web" }
          }
          value = "name: envoy.filters.network.echo\n"
        }
      }
      append_modifications {
        cluster {
          operation = "Patch"
          json_patches {
            op    = "replace"
            path  = "/connectTimeout"
            value = jsonencode("3s")
          }
          json_patches {
            op   = "move"
            from = "/a"
            path = "/b"
          }
        }
      }
    }
  }
}
