resource "kuma_secret" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "certificate"

  data = "hello world"
}
