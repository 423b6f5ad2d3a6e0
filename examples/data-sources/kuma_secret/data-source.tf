data "kuma_secret" "example" {
  mesh = "shop"
  name = "partner-key"
}

output "labels" {
  value = data.kuma_secret.example.labels
}
