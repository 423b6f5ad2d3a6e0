resource "kuma_mesh_gateway" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "edge"

  selectors {
    match = { "kuma.io/service" = "edge" }
  }
  conf {
    listeners {
      port       = 8080
      protocol   = "HTTP"
      hostname   = "shop.mesh"
      cross_mesh = true
    }
  }
}
