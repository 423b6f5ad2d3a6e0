ephemeral "kuma_zone_token" "east" {
  zone      = "east"
  scope     = ["ingress", "egress"]
  valid_for = "720h"
}
