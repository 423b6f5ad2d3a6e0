provider "kuma" {
  endpoint = "https://kuma.example.com:5682"
  token    = var.kuma_token

  tls {
    ca_certificate = file("${path.module}/ca.pem")
  }
}

variable "kuma_token" {
  type      = string
  sensitive = true
}
