variable "kuma_token" {
  type = string

  # Keeps the token out of saved plans. Requires Terraform 1.10 or OpenTofu 1.11.
  ephemeral = true
}

provider "kuma" {
  endpoint = "https://kuma.example.com:5682"
  token    = var.kuma_token

  tls {
    ca_certificate = file("${path.module}/ca.pem")
  }
}
