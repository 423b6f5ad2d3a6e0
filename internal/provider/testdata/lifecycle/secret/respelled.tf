resource "kuma_secret" "test" {
  mesh = "lifecycle"
  name = "certificate"

  data = "hello world"
}
