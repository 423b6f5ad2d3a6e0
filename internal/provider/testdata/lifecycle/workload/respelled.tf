resource "kuma_workload" "test" {
  mesh = "lifecycle"
  name = "backend"

  spec {}
}
