resource "kuma_global_secret" "test" {
  name   = "license"
  labels = { team = "platform" }

  data = "changed"
}
