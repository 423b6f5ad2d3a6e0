resource "kuma_global_secret" "test" {
  name = "license"

  data = "hello world" # respelled: join(" ", ["hello", "world"])
}
