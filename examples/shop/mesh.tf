module "mesh" {
  source = "../modules/mesh"

  name         = "shop"
  kuma_version = var.kuma_version
  telemetry    = { address = "otel.shop.internal" }
}
