# The ID is TYPE/MESH/NAME, or TYPE/NAME for a kind that does not belong to a mesh.
terraform import kuma_manifest.example MeshTimeout/shop/checkout
