# The ID is MESH/NAME.
terraform import kuma_workload.example shop/checkout
