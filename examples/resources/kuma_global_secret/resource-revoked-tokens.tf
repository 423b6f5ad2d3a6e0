# Revoked tokens of proxies, without actions: the identifiers, separated by commas without
# spaces. A token whose identifier is removed is valid again.

variable "revoked" {
  description = "Identifiers of tokens of the proxies: the claim jti of each."
  type        = set(string)
  default     = ["0f1a6a0e-8f3c-4a55-9d0e-3c2b7c1f6e11"]
}

resource "kuma_global_secret" "revoked" {
  name = "dataplane-token-revocations-shop"
  data = join(",", var.revoked)
}
