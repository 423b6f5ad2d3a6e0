locals {
  trust_domain = coalesce(try(var.identity.trust_domain, null), "${var.name}.mesh.local")
  own_ca       = try(coalesce(var.identity.ca), null)
}

resource "kuma_mesh" "this" {
  name   = var.name
  labels = var.labels
  # The policies below replace those that Kuma 2.x would create.
  skip_creating_initial_policies = startswith(var.kuma_version, "2.") ? ["*"] : null

  mesh_services {
    mode = "Exclusive"
  }
}
