resource "kuma_mesh" "lifecycle" {
  name                           = "lifecycle"
  skip_creating_initial_policies = ["*"]
}

resource "kuma_secret" "test" {
  mesh = "lifecycle"
  name = "certificate"

  data = "hello world"
}
