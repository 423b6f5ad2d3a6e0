data "kuma_mesh" "example" {
  name = "shop"
}
