# The ID is MESH/NAME.
terraform import kuma_secret.example shop/partner-key
