# All timeouts of a mesh that a team owns.
data "kuma_resources" "timeouts" {
  type   = "MeshTimeout"
  mesh   = "shop"
  labels = { team = "payments" }
}

output "timeouts" {
  value = {
    for r in data.kuma_resources.timeouts.resources : r.name => jsondecode(r.document).spec
  }
}
