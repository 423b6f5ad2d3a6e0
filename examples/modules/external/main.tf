resource "kuma_mesh_external_service" "this" {
  mesh   = var.mesh
  name   = var.name
  labels = merge(var.labels, { "kuma.io/display-name" = var.name })

  spec {
    match {
      type     = "HostnameGenerator"
      port     = var.port
      protocol = var.protocol
    }

    dynamic "endpoints" {
      for_each = var.endpoints

      content {
        address  = endpoints.value.address
        port     = endpoints.value.port
        priority = endpoints.value.priority
      }
    }
    dynamic "tls" {
      for_each = var.tls[*]

      content {
        enabled = true
        version {
          min = tls.value.min_version
        }
        verification {
          server_name = coalesce(tls.value.server_name, var.endpoints[0].address)
        }
      }
    }
  }
}

# Traffic to the service leaves through the zone egress, which identifies clients by their
# SPIFFE ID and the service by its server name.
resource "kuma_mesh_traffic_permission" "callers" {
  count = length(var.callers) == 0 ? 0 : 1

  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = var.egress_labels
    }
    rules {
      default {
        dynamic "allow" {
          for_each = sort(var.callers)

          content {
            spiffe_id {
              type  = "Exact"
              value = startswith(allow.value, "spiffe://") ? allow.value : "spiffe://${coalesce(var.trust_domain, "unset")}/workload/${allow.value}"
            }
            sni {
              type  = "Exact"
              value = provider::kuma::sni(kuma_mesh_external_service.this)
            }
          }
        }
      }
    }
  }

  lifecycle {
    precondition {
      condition     = var.trust_domain != null || alltrue([for c in var.callers : startswith(c, "spiffe://")])
      error_message = "trust_domain is required if callers contains names of workloads: pass the output of the mesh module."
    }
  }
}

resource "kuma_mesh_passthrough" "this" {
  for_each = var.passthrough

  mesh   = var.mesh
  name   = "${var.name}-${each.key}"
  labels = var.labels

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { "kuma.io/workload" = each.key }
    }
    default {
      passthrough_mode = "Matched"

      dynamic "append_match" {
        for_each = each.value

        content {
          type     = append_match.value.type
          value    = append_match.value.value
          port     = append_match.value.port
          protocol = append_match.value.protocol
        }
      }
    }
  }
}
