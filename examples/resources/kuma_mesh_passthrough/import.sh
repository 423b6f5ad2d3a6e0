# The ID is MESH/NAME.
terraform import kuma_mesh_passthrough.example shop/closed
