data "kuma_mesh_fault_injection" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_mesh_fault_injection.example.labels
}
