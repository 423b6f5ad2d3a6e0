resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_workload" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {}
}
