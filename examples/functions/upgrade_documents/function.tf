# Rewrites a mesh for Kuma 3.0, and fails if stage two would change a proxy.
locals {
  documents = <<-YAML
    type: Mesh
    name: shop
    meshServices: {mode: Exclusive}
    ---
    type: Dataplane
    mesh: shop
    name: checkout-1
    networking:
      address: 10.0.0.5
      inbound: [{port: 8080, tags: {kuma.io/service: checkout, kuma.io/protocol: http, team: shop}}]
    ---
    type: MeshTimeout
    mesh: shop
    name: checkout
    spec:
      targetRef: {kind: MeshSubset, tags: {team: shop}}
      to:
        - targetRef: {kind: MeshService, name: checkout}
          default: {http: {requestTimeout: 5s}}
      from:
        - targetRef: {kind: Mesh}
          default: {http: {requestTimeout: 10s}}
  YAML

  upgrade = provider::kuma::upgrade_documents(local.documents, { zone = "east" })
}

# For 2.14, before the upgrade.
output "stage_one" {
  value = join("---\n", local.upgrade.stage_one)
}

# For 3.0, after it.
output "stage_two" {
  value = join("---\n", local.upgrade.stage_two)

  precondition {
    condition     = length(local.upgrade.changed_on_3) == 0
    error_message = "The upgrade would change proxies.\n\n${local.upgrade.proof}"
  }
}

# What cannot be done mechanically.
output "to_decide" {
  value = [for item in local.upgrade.report : item if item.action == "manual"]
}

output "proof" {
  value = local.upgrade.proof
}
