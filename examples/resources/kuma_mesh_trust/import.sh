# The ID is MESH/NAME.
terraform import kuma_mesh_trust.example shop/zone-east
