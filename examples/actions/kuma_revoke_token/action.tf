# Revokes the tokens that are added to the list.
variable "revoked" {
  description = "Identifiers of tokens of the proxies: the claim jti of each."
  type        = set(string)
  default     = ["0f1a6a0e-8f3c-4a55-9d0e-3c2b7c1f6e11"]
}

resource "terraform_data" "revoked" {
  input = var.revoked

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.kuma_revoke_token.proxies]
    }
  }
}

action "kuma_revoke_token" "proxies" {
  config {
    type = "dataplane"
    mesh = "shop"
    ids  = var.revoked
  }
}
