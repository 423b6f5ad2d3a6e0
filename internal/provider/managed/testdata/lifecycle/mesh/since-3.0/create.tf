resource "kuma_mesh" "test" {
  name   = "shop"
  labels = { owner = "platform" }
}
