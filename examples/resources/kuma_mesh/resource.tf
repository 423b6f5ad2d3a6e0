resource "kuma_mesh" "example" {
  name = "shop"
}
