# Checkout can reach its payment provider, the mail relay and the legacy order
# database, but no other destinations outside the mesh.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_passthrough" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    default {
      passthrough_mode = "Matched"
      append_match {
        type     = "Domain"
        value    = "*.payments.example.com"
        protocol = "tls"
        port     = 443
      }
      append_match {
        type  = "IP"
        value = "192.0.2.25"
        port  = 25
      }
      append_match {
        type     = "CIDR"
        value    = "198.51.100.0/24"
        protocol = "mysql"
        port     = 3306
      }
    }
  }
}
