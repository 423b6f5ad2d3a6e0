data "kuma_zone_egress" "example" {
  name = "egress-1"
}

output "labels" {
  value = data.kuma_zone_egress.example.labels
}
