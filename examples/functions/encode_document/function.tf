resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

# For kumactl apply -f.
output "yaml" {
  value = provider::kuma::encode_document(kuma_mesh.shop)
}
