# The ID is MESH/NAME.
terraform import kuma_mesh_fault_injection.example shop/checkout
