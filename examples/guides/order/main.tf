# Kuma 2.x only: in Kuma 3.0, references have no names.

terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}

locals {
  stored = <<-YAML
    type: Dataplane
    mesh: shop
    name: web-1
    labels: {app: web}
    networking:
      address: 10.0.0.1
      inbound: [{port: 8080, tags: {kuma.io/service: web}}]
    ---
    type: MeshService
    mesh: shop
    name: stock
    spec: {selector: {dataplaneTags: {kuma.io/service: stock}}, ports: [{port: 80, name: http}]}
    ---
    type: MeshTimeout
    mesh: shop
    name: b-every-proxy
    spec:
      targetRef: {kind: Dataplane}
      to:
        - targetRef: {kind: Mesh}
          default: {http: {requestTimeout: 2s}}
    ---
    type: MeshTimeout
    mesh: shop
    name: c-one-proxy
    spec:
      targetRef: {kind: Dataplane, name: web-1}
      to:
        - targetRef: {kind: Mesh}
          default: {http: {requestTimeout: 3s}}
  YAML

  # Sets a different value, and only for one service.
  new = <<-YAML
    type: MeshTimeout
    mesh: shop
    name: a-stock
    spec:
      targetRef: {kind: Dataplane, labels: {app: web}}
      to:
        - targetRef: {kind: MeshService, name: stock}
          default: {idleTimeout: 2h}
  YAML

  # Kind Mesh in b-every-proxy makes the order stable.
  stable = replace(local.stored, "targetRef: {kind: Dataplane}", "targetRef: {kind: Mesh}")
}

output "impact" {
  value = provider::kuma::policy_impact(local.stored, [local.stored, local.new], "shop").summary
}

output "findings" {
  value = [
    for f in provider::kuma::mesh_lint([local.stored, local.new], "shop").findings : f.message
    if f.code == "unstable-order"
  ]
}

output "impact_when_stable" {
  value = provider::kuma::policy_impact(local.stable, [local.stable, local.new], "shop").summary
}

output "findings_when_stable" {
  value = [
    for f in provider::kuma::mesh_lint([local.stable, local.new], "shop").findings : f.message
    if f.code == "unstable-order"
  ]
}
