# The settings of a client of the service, and the findings in the mesh.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

variable "resources" {
  type = any
}

locals {
  # The mesh, and what the service refers to: a client, a destination, and the trust domain of a partner.
  documents = [file("${path.module}/partner.yaml"), <<-YAML
    type: Mesh
    name: shop
    meshServices: {mode: Exclusive}
    ---
    type: Dataplane
    mesh: shop
    name: storefront-1
    labels: {kuma.io/workload: storefront}
    networking:
      address: 192.0.2.9
      inbound: [{name: http, port: 8080, protocol: http}]
    ---
    type: MeshService
    mesh: shop
    name: payments
    spec:
      selector: {dataplaneLabels: {matchLabels: {kuma.io/workload: payments}}}
      ports: [{name: http, port: 80, targetPort: 8080, appProtocol: http}]
  YAML
  ]
}

data "kuma_effective_rules" "storefront" {
  mesh    = "shop"
  planned = var.resources
  proxy = {
    name       = "storefront-1"
    labels     = { "kuma.io/workload" = "storefront" }
    networking = { address = "192.0.2.9", inbound = [{ port = 8080, name = "http", protocol = "http" }] }
  }

  destination {
    kind = "MeshService"
    name = "checkout"
  }
}

data "kuma_mesh_lint" "shop" {
  mesh      = "shop"
  kuma3     = true
  documents = local.documents
  planned   = var.resources
}

output "outbound" {
  value = { for type, rule in data.kuma_effective_rules.storefront.destination_conf : type => rule.conf }
}

output "explanation" {
  value = data.kuma_effective_rules.storefront.explanation
}

output "findings" {
  value = data.kuma_mesh_lint.shop.summary
}

output "codes" {
  value = data.kuma_mesh_lint.shop.findings[*].code
}
