module "mesh" {
  source = "../modules/mesh"

  name      = "shop"
  telemetry = { address = "otel.shop.internal" }
}
