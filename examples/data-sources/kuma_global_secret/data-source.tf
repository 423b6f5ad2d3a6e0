data "kuma_global_secret" "example" {
  name = "license"
}

output "labels" {
  value = data.kuma_global_secret.example.labels
}
