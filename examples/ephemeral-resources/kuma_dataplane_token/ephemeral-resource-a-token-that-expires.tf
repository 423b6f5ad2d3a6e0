# Warns when the stored token expires within a week. Each run issues a token, but only a new
# version is stored, so the state remembers when that version was issued.

locals {
  token_version = 1 # raise it to store a new token
  valid_for     = "720h"
}

ephemeral "kuma_dataplane_token" "machine" {
  mesh      = "shop"
  workload  = "checkout"
  valid_for = local.valid_for
}

resource "kuma_secret" "machine_token" {
  mesh            = "shop"
  name            = "machine-token"
  data_wo         = ephemeral.kuma_dataplane_token.machine.token
  data_wo_version = local.token_version
}

resource "terraform_data" "machine_token" {
  input            = timeadd(plantimestamp(), local.valid_for)
  triggers_replace = local.token_version

  lifecycle {
    ignore_changes = [input]
  }
}

check "machine_token" {
  assert {
    condition = timecmp(
      terraform_data.machine_token.output, timeadd(plantimestamp(), "168h")
    ) > 0
    error_message = "The token expires at ${terraform_data.machine_token.output}: raise its version."
  }
}
