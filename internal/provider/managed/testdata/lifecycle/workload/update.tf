resource "kuma_workload" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "backend"
  labels = { team = "payments" }

  spec {}
}
