# The next key that signs the tokens of proxies. The highest serial number signs; the
# control plane has created the key with the number 1.
variable "signing_key" {
  description = "RSA key in PEM format, as of openssl genrsa -traditional 2048."
  type        = string
  ephemeral   = true
}

resource "kuma_secret" "signing_key" {
  mesh            = kuma_mesh.shop.name
  name            = "dataplane-token-signing-key-${kuma_mesh.shop.name}-2"
  data_wo         = var.signing_key
  data_wo_version = 1
}

# Tokens that are rejected although their key is valid.
variable "revoked_tokens" {
  description = "Identifiers of tokens of the proxies: the claim jti of each."
  type        = set(string)
  default     = ["0f1a6a0e-8f3c-4a55-9d0e-3c2b7c1f6e11"]
}

resource "kuma_global_secret" "revoked_tokens" {
  name = "dataplane-token-revocations-${kuma_mesh.shop.name}"
  data = join(",", var.revoked_tokens) # without spaces
}
