# The ID is TYPE/MESH/NAME, or TYPE/NAME for a kind that belongs to no mesh.
terraform import kuma_manifest.example MeshTimeout/shop/checkout
