# The ID is the name.
terraform import kuma_zone_ingress.example ingress-1
