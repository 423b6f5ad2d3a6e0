# The ID is MESH/NAME.
terraform import kuma_mesh_circuit_breaker.example shop/checkout
