ephemeral "kuma_user_token" "pipeline" {
  name      = "checkout-pipeline"
  groups    = ["checkout"]
  valid_for = "1h"
}
