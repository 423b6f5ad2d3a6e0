# The ID is the name.
terraform import kuma_zone.example east
