resource "kuma_mesh" "shop" {
  name = "shop"
}

# Serves the catalog to the other meshes of this control plane.
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
