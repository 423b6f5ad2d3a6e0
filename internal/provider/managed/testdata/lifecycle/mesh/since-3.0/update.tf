resource "kuma_mesh" "test" {
  name   = "shop"
  labels = { owner = "network", tier = "gold" }
}
