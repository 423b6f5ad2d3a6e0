# The ID is MESH/NAME.
terraform import kuma_mesh_multi_zone_service.example shop/checkout
