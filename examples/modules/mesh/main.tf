locals {
  issuer       = try(var.identity.issuer, null)
  trust_domain = local.issuer == "Mesh" ? var.name : coalesce(try(var.identity.trust_domain, null), "${var.name}.mesh.local")
  own_ca       = try(coalesce(var.identity.ca), null)
}

resource "kuma_mesh" "this" {
  name   = var.name
  labels = var.labels
  # The policies below replace those that Kuma would create.
  skip_creating_initial_policies = ["*"]

  mesh_services {
    mode = "Exclusive"
  }

  dynamic "mtls" {
    for_each = local.issuer == "Mesh" ? [var.identity] : []

    content {
      enabled_backend = "builtin"
      backends {
        name = "builtin"
        type = "builtin"

        dynamic "dp_cert" {
          for_each = mtls.value.certificate_expiry[*]

          content {
            rotation {
              expiration = dp_cert.value
            }
          }
        }
      }
    }
  }
}
