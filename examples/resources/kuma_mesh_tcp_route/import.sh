# The ID is MESH/NAME.
terraform import kuma_mesh_tcp_route.example shop/orders-database
