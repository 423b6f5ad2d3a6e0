data "kuma_mesh_fault_injection" "example" {
  mesh = "shop"
  name = "checkout"
}
