# checkout-3 runs the next version.
module "checkout_canary" {
  source = "../modules/canary"

  mesh     = module.mesh.name
  service  = module.checkout.name
  port     = { port = 80, target_port = 8080 }
  versions = { stable = { version = "v1" }, canary = { version = "v2" } }
  weight   = var.canary_weight
  timeouts = { request = var.checkout_timeout }
}
