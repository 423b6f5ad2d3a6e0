data "kuma_dataplane" "example" {
  mesh = "shop"
  name = "checkout-1"
}
