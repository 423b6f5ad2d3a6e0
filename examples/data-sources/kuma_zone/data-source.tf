data "kuma_zone" "example" {
  name = "east"
}

output "labels" {
  value = data.kuma_zone.example.labels
}
