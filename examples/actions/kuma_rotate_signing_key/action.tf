# A new key for the tokens of proxies in each quarter. Tokens that the previous key has
# signed stay valid for another quarter, in which proxies get new ones.
variable "quarter" {
  type    = string
  default = "2026-Q4"
}

resource "terraform_data" "quarter" {
  input = var.quarter

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.kuma_rotate_signing_key.proxies]
    }
  }
}

action "kuma_rotate_signing_key" "proxies" {
  config {
    type          = "dataplane"
    mesh          = "shop"
    keep_previous = 1
  }
}
