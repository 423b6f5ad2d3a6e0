resource "kuma_mesh_traffic_permission" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "backend"

  spec {
    from {
      target_ref {
        kind = "MeshService"
        name = "batch"
      }
      default {
        action = "AllowWithShadowDeny"
      }
    }
    from {
      target_ref {
        kind = "Mesh"
      }
      default {
        action = "Deny"
      }
    }
  }
}
