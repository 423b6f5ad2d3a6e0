resource "kuma_mesh" "lifecycle" {
  name                           = "lifecycle"
  skip_creating_initial_policies = ["*"]
}

resource "kuma_workload" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "backend"

  spec {}
}
