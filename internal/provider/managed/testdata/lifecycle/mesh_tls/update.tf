resource "kuma_mesh_tls" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "versions"

  spec {
    target_ref {
      kind = "Dataplane"
      labels = {
        app = "legacy"
      }
      section_name = "http"
    }
    rules {
      default {
        mode = "Permissive"
      }
    }
  }
}
