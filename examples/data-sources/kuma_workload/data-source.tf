data "kuma_workload" "example" {
  mesh = "shop"
  name = "checkout"
}
