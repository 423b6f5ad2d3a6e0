# Kuma 2.x only. A listener that serves the catalog to other meshes of the same
# control plane.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_gateway" "catalog" {
  mesh = kuma_mesh.shop.name
  name = "catalog"

  selectors {
    match = { "kuma.io/service" = "catalog-gateway" }
  }
  conf {
    listeners {
      port       = 8080
      protocol   = "HTTP"
      hostname   = "catalog.shop.mesh"
      cross_mesh = true
    }
  }
}
