resource "kuma_secret" "test" {
  mesh = kuma_mesh.lifecycle.name # respelled: "lifecycle"
  name = "certificate"

  data = "hello world"
}
