# The ID is MESH/NAME.
terraform import kuma_mesh_health_check.example shop/checkout
