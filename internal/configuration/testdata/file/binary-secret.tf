resource "kuma_secret" "keystore" {
  name        = "keystore"
  mesh        = "shop"
  data_base64 = var.secret_keystore
}

import {
  to = kuma_secret.keystore
  id = "shop/keystore"
}

variable "secret_keystore" {
  description = "Value of Secret \"keystore\" of mesh \"shop\" in base64. If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}
