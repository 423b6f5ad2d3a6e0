# Since Kuma 3.0, which has no scopes.
ephemeral "kuma_zone_token" "east" {
  zone      = "east"
  valid_for = "720h"
}
