# The ID is MESH/NAME.
terraform import kuma_mesh_http_route.example shop/checkout-canary
