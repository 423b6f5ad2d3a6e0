# The ID is MESH/NAME.
terraform import kuma_mesh_traffic_permission.example shop/checkout
