resource "kuma_mesh" "lifecycle" {
  name                           = "lifecycle"
  skip_creating_initial_policies = ["*"]
}

resource "kuma_secret" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "certificate"

  data = "hello world"
}
