data "kuma_secret" "example" {
  mesh = "shop"
  name = "partner-key"
}
