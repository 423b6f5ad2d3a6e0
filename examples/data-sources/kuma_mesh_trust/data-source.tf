data "kuma_mesh_trust" "example" {
  mesh = "shop"
  name = "zone-east"
}

output "labels" {
  value = data.kuma_mesh_trust.example.labels
}
