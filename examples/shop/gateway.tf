# A gateway that is not part of Kuma, such as nginx or Kong, with a proxy beside it.
module "edge" {
  source = "../modules/gateway"

  mesh      = module.mesh.name
  name      = "edge"
  instances = { edge-1 = { address = "10.0.0.1" } }
  limits    = { max_connections = 500, max_requests = 500 }

  services = {
    (module.storefront.name) = {
      port         = 9000
      service_port = 80
      routes       = { reports = { path_prefix = "/reports", timeout = "30s" } }
    }
  }
}
