resource "kuma_mesh_zone_address" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "ingress"

  spec {
    address = "ingress.example.com"
    port    = 10001 # respelled: "10001"
  }
}
