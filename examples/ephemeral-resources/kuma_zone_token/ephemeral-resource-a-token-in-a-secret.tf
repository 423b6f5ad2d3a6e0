# Kuma 2.x only. The zone control plane reads its token from a secret. A new token is
# written when the version changes. For Kuma 3.0, omit the scope.
ephemeral "kuma_zone_token" "west" {
  zone      = "west"
  scope     = ["cp"]
  valid_for = "8760h"
}

resource "kuma_global_secret" "west" {
  name            = "zone-token-west"
  data_wo         = ephemeral.kuma_zone_token.west.token
  data_wo_version = 1
}
