# Requests: edge -> storefront -> checkout -> stock, and checkout -> payments outside the mesh.

module "storefront" {
  source = "../modules/service"

  mesh         = module.mesh.name
  trust_domain = module.mesh.trust_domain
  name         = "storefront"
  ports        = { http = { port = 80, target_port = 8080 } }
  callers      = [module.edge.name]
  outbounds    = { (module.checkout.name) = { port = 9001, service_port = 80 } }

  instances = {
    storefront-1 = { address = "10.0.1.1" }
    storefront-2 = { address = "10.0.1.2" }
  }
}

module "checkout" {
  source = "../modules/service"

  mesh         = module.mesh.name
  trust_domain = module.mesh.trust_domain
  name         = "checkout"
  ports        = { http = { port = 80, target_port = 8080 } }
  callers      = [module.storefront.name]
  outbounds = {
    (module.stock.name)    = { port = 9002, service_port = 50051 }
    (module.payments.name) = { port = 9003, service_port = 80, kind = "MeshExternalService" }
  }

  instances = {
    checkout-1 = { address = "10.0.2.1", labels = { version = "v1" } }
    checkout-2 = { address = "10.0.2.2", labels = { version = "v1" } }
    checkout-3 = { address = "10.0.2.3", labels = { version = "v2" } }
  }

  traffic = {
    timeouts     = { request = var.checkout_timeout }
    retries      = { num_retries = 2, retry_on = ["GatewayError", "HttpMethodGet"] }
    health_check = { path = "/health" }
  }
}

module "stock" {
  source = "../modules/service"

  mesh         = module.mesh.name
  trust_domain = module.mesh.trust_domain
  name         = "stock"
  ports        = { grpc = { port = 50051, protocol = "grpc" } }
  callers      = [module.checkout.name]

  instances = {
    stock-1 = { address = "10.0.3.1" }
  }

  traffic = {
    timeouts   = { request = "500ms" }
    rate_limit = { requests = 200 }
  }
}
