# Whether TLS can be required of all clients. The check warns while a client that has a
# listener for a service speaks plaintext to it.
resource "kuma_mesh_identity" "all" {
  mesh = "shop"
  name = "all"

  spec {
    selector {
      dataplane {
        match_labels = {} # all proxies
      }
    }
    spiffe_id {
      trust_domain = "shop.example"
      path         = "/workload/{{ label \"app\" }}"
    }
    provider {
      type = "Spire"
      spire {}
    }
  }
}

locals {
  identities = [kuma_mesh_identity.all]
}

data "kuma_access" "shop" {
  mesh    = "shop"
  planned = local.identities
}

check "strict" {
  assert {
    condition     = data.kuma_access.shop.strict_ready
    error_message = data.kuma_access.shop.summary
  }
}

output "plaintext" {
  value = [
    for a in data.kuma_access.shop.access : "${join(", ", a.clients)} to ${a.service}:${a.port}"
    if a.plaintext && a.reachable
  ]
}
