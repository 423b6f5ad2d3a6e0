data "kuma_workload" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_workload.example.labels
}
