# A write-only value, which is stored neither in the plan nor in the state.
# Terraform writes a new value when the version changes.

variable "partner_key" {
  description = "Private key for the partner's API. It is stored in neither plan nor state."
  type        = string
  ephemeral   = true
  default     = "from the pipeline"
}

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_secret" "partner_key" {
  mesh   = kuma_mesh.shop.name
  name   = "partner-key"
  labels = { team = "partners" }

  data_wo         = var.partner_key
  data_wo_version = 1
}
