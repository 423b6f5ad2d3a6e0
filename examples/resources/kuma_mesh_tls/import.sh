# The ID is MESH/NAME.
terraform import kuma_mesh_tls.example shop/strict
