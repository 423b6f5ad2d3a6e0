# The settings of one proxy that come from the resources of the module, and the findings in them.

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
  # The resources of the module with one proxy and its service.
  planned = concat(var.resources, provider::kuma::decode_documents(<<-YAML
    type: Dataplane
    mesh: shop
    name: web-1
    labels: {kuma.io/workload: web}
    networking:
      address: 192.0.2.1
      inbound: [{name: http, port: 8080, protocol: http}]
    ---
    type: MeshService
    mesh: shop
    name: web
    spec:
      selector: {dataplaneLabels: {matchLabels: {kuma.io/workload: web}}}
      ports: [{name: http, port: 80, targetPort: 8080, appProtocol: http}]
  YAML
  ))
}

data "kuma_effective_rules" "web" {
  mesh      = "shop"
  dataplane = "web-1"
  planned   = local.planned

  destination {
    kind = "MeshService"
    name = "web"
  }
}

data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  kuma3   = true
  planned = local.planned
}

output "outbound" {
  value = { for type, rule in data.kuma_effective_rules.web.destination_conf : type => rule.conf }
}

output "explanation" {
  value = data.kuma_effective_rules.web.explanation
}

output "findings" {
  value = data.kuma_mesh_lint.shop.summary
}

output "codes" {
  value = data.kuma_mesh_lint.shop.findings[*].code
}
