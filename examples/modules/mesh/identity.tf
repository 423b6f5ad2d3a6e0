resource "kuma_mesh_identity" "this" {
  count = var.identity == null ? 0 : 1

  mesh   = kuma_mesh.this.name
  name   = "identity"
  labels = var.labels

  spec {
    selector {
      dataplane {
        match_labels = {} # all proxies
      }
    }
    spiffe_id {
      trust_domain = local.trust_domain
      path         = "/workload/{{ .Workload }}"
    }
    provider {
      type = "Bundled"
      bundled {
        # The control plane creates the MeshTrust of an authority that it generates.
        mesh_trust_creation = local.own_ca == null ? "Enabled" : "Disabled"
        # The generated authority is self-signed. Without this setting, the control plane
        # rejects it, and the identity has no effect.
        insecure_allow_self_signed = true

        dynamic "autogenerate" {
          for_each = local.own_ca == null ? [true] : []

          content {
            enabled = true
          }
        }
        dynamic "ca" {
          for_each = local.own_ca[*]

          content {
            certificate {
              type = "Secret"
              secret_ref {
                kind = "Secret"
                name = ca.value.certificate_secret
              }
            }
            private_key {
              type = "Secret"
              secret_ref {
                kind = "Secret"
                name = ca.value.private_key_secret
              }
            }
          }
        }
        dynamic "certificate_parameters" {
          for_each = var.identity.certificate_expiry[*]

          content {
            expiry = certificate_parameters.value
          }
        }
      }
    }
  }
}

resource "kuma_mesh_trust" "this" {
  for_each = merge(var.trusts, local.own_ca == null ? {} : { (local.trust_domain) = local.own_ca.certificate })

  mesh   = kuma_mesh.this.name
  name   = "trust-${replace(each.key, ".", "-")}"
  labels = var.labels

  spec {
    trust_domain = each.key
    ca_bundles {
      type = "Pem"
      pem {
        value = each.value
      }
    }
  }
}

resource "kuma_mesh_tls" "this" {
  count = var.identity == null || var.tls_mode == null ? 0 : 1

  mesh   = kuma_mesh.this.name
  name   = "tls"
  labels = var.labels

  spec {
    rules {
      default {
        mode = var.tls_mode
      }
    }
  }
}

# Proxies with an identity reject clients without a permission: without this policy,
# access is denied by default.
resource "kuma_mesh_traffic_permission" "all" {
  count = var.identity == null || var.default_deny ? 0 : 1

  mesh   = kuma_mesh.this.name
  name   = "allow-trust-domain"
  labels = var.labels

  spec {
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Prefix"
            value = "spiffe://${local.trust_domain}"
          }
        }
      }
    }
  }
}

resource "kuma_mesh_passthrough" "this" {
  count = var.passthrough_mode == null ? 0 : 1

  mesh   = kuma_mesh.this.name
  name   = "passthrough"
  labels = var.labels

  spec {
    default {
      passthrough_mode = var.passthrough_mode
    }
  }
}
