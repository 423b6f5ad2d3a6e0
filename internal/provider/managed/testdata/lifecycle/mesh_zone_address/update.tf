resource "kuma_mesh_zone_address" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "ingress"
  labels = { team = "edge" }

  spec {
    address = "192.0.2.10"
    port    = 10002
  }
}
