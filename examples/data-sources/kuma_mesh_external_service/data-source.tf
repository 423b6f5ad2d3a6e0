data "kuma_mesh_external_service" "example" {
  mesh = "shop"
  name = "payments-api"
}
