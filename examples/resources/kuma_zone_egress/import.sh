# The ID is the name.
terraform import kuma_zone_egress.example egress-1
