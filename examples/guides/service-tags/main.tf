terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}

locals {
  # The existing mesh. With a control plane, omit documents and pass new resources in
  # planned.
  before = [file("${path.module}/mesh.yaml")]
  # With a MeshService, in mode Exclusive.
  after = concat(local.before, [file("${path.module}/services.yaml")])
}

data "kuma_effective_rules" "before" {
  dataplane = "checkout-1"
  documents = local.before
  types     = ["MeshTimeout"]
  include   = ["rules"]
}

data "kuma_effective_rules" "after" {
  dataplane = "checkout-1"
  documents = local.after
  types     = ["MeshTimeout"]
  include   = ["rules"]
}

data "kuma_mesh_lint" "before" {
  documents = local.before
}

data "kuma_mesh_lint" "after" {
  documents = local.after
}

output "timeouts_by_tag" {
  value = [
    for r in data.kuma_effective_rules.before.rules[0].to_rules : format("%s %s from %s",
      join(" ", [for m in r.matchers : "${m.key}=${m.value}"]),
      r.conf,
      join(", ", r.origin[*].name),
    )
  ]
}

output "timeouts_by_resource" {
  value = [
    for r in data.kuma_effective_rules.after.rules[0].to_resource_rules : format("%s %s %s from %s",
      r.resource_meta.type,
      r.resource_meta.name,
      r.conf[0],
      join(", ", r.origin[*].resource_meta.name),
    )
  ]
}

output "findings_before" {
  value = [
    for f in data.kuma_mesh_lint.before.findings : "${f.code} ${f.type}/${f.name}"
    if f.severity != "info"
  ]
}

output "findings_after" {
  value = [
    for f in data.kuma_mesh_lint.after.findings : "${f.code} ${f.type}/${f.name}"
    if f.severity != "info"
  ]
}
