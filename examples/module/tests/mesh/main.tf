# What clients get from policies, in a mesh that exists only in this test.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

variable "policies" {
  type = any
}

variable "clients" {
  type = set(string)
}

data "kuma_effective_rules" "client" {
  for_each = var.clients
  mesh     = "shop"
  proxy = {
    name       = "${each.key}-1"
    networking = { address = "10.0.0.1", inbound = [{ port = 8080, tags = { "kuma.io/service" = each.key } }] }
  }
  documents = [<<-YAML
    {type: Mesh, name: shop, meshServices: {mode: Exclusive}}
    ---
    {type: MeshService, mesh: shop, name: checkout, labels: {kuma.io/origin: zone, kuma.io/zone: test}, spec: {ports: [{port: 80, name: http}]}}
  YAML
  ]
  planned = var.policies
  types   = ["MeshTimeout"]

  destination {
    kind = "MeshService"
    name = "checkout"
  }
}

output "timeouts" {
  value = { for name, rules in data.kuma_effective_rules.client : name => rules.destination_conf["MeshTimeout"].conf.http.requestTimeout }
}

output "explanations" {
  value = { for name, rules in data.kuma_effective_rules.client : name => rules.explanation }
}
