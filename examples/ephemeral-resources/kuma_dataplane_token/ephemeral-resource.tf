ephemeral "kuma_dataplane_token" "checkout" {
  mesh      = "default"
  name      = "checkout-1"
  type      = "dataplane"
  workload  = "checkout"
  valid_for = "720h"
}
