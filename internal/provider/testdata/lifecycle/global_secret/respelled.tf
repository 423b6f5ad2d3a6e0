resource "kuma_global_secret" "test" {
  name = "license"

  data = join(" ", ["hello", "world"])
}
