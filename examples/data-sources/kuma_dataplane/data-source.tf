data "kuma_dataplane" "example" {
  mesh = "shop"
  name = "checkout-1"
}

output "labels" {
  value = data.kuma_dataplane.example.labels
}
