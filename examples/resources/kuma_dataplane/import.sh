# The ID is MESH/NAME.
terraform import kuma_dataplane.example shop/checkout-1
