resource "kuma_workload" "test" {
  mesh = kuma_mesh.lifecycle.name # respelled: "lifecycle"
  name = "backend"

  spec {}
}
