# The ID is MESH/NAME.
terraform import kuma_mesh_zone_address.example shop/zone-east
