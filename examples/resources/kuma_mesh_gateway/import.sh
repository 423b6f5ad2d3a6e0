# The ID is MESH/NAME.
terraform import kuma_mesh_gateway.example shop/edge
