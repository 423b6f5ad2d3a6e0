# The ID is MESH/NAME.
terraform import kuma_mesh_service.example shop/checkout
