locals {
  documents = provider::kuma::decode_documents(<<-YAML
    type: Mesh
    name: shop
    ---
    type: MeshService
    mesh: shop
    name: checkout
    spec:
      ports: [{port: 8080}]
  YAML
  )
}

# First the mesh, then its resources.
resource "kuma_manifest" "mesh" {
  for_each = { for d in local.documents : d.name => d if d.type == "Mesh" }
  manifest = each.value
}

resource "kuma_manifest" "documents" {
  for_each   = { for d in local.documents : "${d.type}/${d.name}" => d if d.type != "Mesh" }
  manifest   = each.value
  depends_on = [kuma_manifest.mesh]
}
