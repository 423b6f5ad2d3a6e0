data "kuma_zone_ingress" "example" {
  name = "ingress-1"
}

output "labels" {
  value = data.kuma_zone_ingress.example.labels
}
