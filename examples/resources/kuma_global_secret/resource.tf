resource "kuma_global_secret" "example" {
  name = "license"

  data = "not so secret"
}
