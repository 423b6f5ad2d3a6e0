data "kuma_hostname_generator" "example" {
  name = "shop-services"
}

output "labels" {
  value = data.kuma_hostname_generator.example.labels
}
