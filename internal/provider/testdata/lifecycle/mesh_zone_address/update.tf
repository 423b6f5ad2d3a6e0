resource "kuma_mesh" "lifecycle" {
  name                           = "lifecycle"
  skip_creating_initial_policies = ["*"]
}

resource "kuma_mesh_zone_address" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "ingress"
  labels = { team = "edge" }

  spec {
    address = "192.0.2.10"
    port    = 10002
  }
}
