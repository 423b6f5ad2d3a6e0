# A mesh of Kuma 2.x with services by tag. Run with terraform test.

provider "kuma" {
  embedded {
    directory    = "./.mesh"
    zone         = "zone-1"
    kuma_version = "2.14"
  }
}

variables {
  mesh        = "shop"
  name        = "checkout"
  service_tag = "checkout_shop"
  ports       = { http = { port = 80, target_port = 8080 } }
  instances   = { checkout-1 = { address = "192.0.2.1" } }
}

run "mesh" {
  module {
    source = "./tests/mesh"
  }
}

run "by_tag" {
  assert {
    condition = (
      kuma_mesh_service.this.spec.selector.dataplane_tags == tomap({ "kuma.io/service" = "checkout_shop" }) &&
      kuma_dataplane.this["checkout-1"].networking.inbound[0].tags["kuma.io/service"] == "checkout_shop"
    )
    error_message = "The MeshService must select by the tag that the inbounds have."
  }
}
