ephemeral "kuma_dataplane_token" "checkout" {
  mesh      = "default"
  name      = "checkout-1"
  type      = "dataplane"
  tags      = { "kuma.io/service" = ["checkout"] }
  valid_for = "720h"
}
