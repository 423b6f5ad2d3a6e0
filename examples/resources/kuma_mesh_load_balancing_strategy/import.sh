# The ID is MESH/NAME.
terraform import kuma_mesh_load_balancing_strategy.example shop/checkout
