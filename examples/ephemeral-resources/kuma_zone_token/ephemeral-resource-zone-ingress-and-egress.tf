# Kuma 2.x only. A token for the zone ingress and the zone egress of a zone.
ephemeral "kuma_zone_token" "east" {
  zone      = "east"
  scope     = ["ingress", "egress"]
  valid_for = "720h"
}
