# The effective rules of a proxy that does not exist yet, for traffic to one
# destination.
data "kuma_effective_rules" "batch" {
  mesh = "shop"
  proxy = {
    name   = "batch-1"
    labels = { app = "batch" }
    networking = {
      address = "10.0.0.7"
      inbound = [{ port = 8080, protocol = "http" }]
    }
  }
  types = ["MeshTimeout", "MeshRetry"]

  destination {
    kind = "MeshService"
    name = "checkout" # a MeshService, or in Kuma 2.x the tag kuma.io/service
  }
}

output "batch" {
  value = {
    timeouts = try(data.kuma_effective_rules.batch.destination_conf["MeshTimeout"].conf, null)
    diagram  = "```mermaid\n${data.kuma_effective_rules.batch.diagram}\n```"
  }
}

check "everything_has_an_effect" {
  assert {
    condition     = length(data.kuma_effective_rules.batch.warnings) == 0
    error_message = join("\n", data.kuma_effective_rules.batch.warnings)
  }
  assert {
    condition     = length(data.kuma_effective_rules.batch.ignored_rules) == 0
    error_message = join("\n", data.kuma_effective_rules.batch.ignored_rules[*].reason)
  }
}
