data "kuma_global_secret" "example" {
  name = "license"
}
