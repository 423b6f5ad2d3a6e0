terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

locals {
  upgrade = provider::kuma::upgrade_documents(file("${path.module}/mesh.yaml"), { zone = "east" })
}

output "a_timeouts" {
  description = "The timeouts of stage one."
  value = join("---\n", [
    for text in local.upgrade.stage_one : text if startswith(text, "type: MeshTimeout")
  ])
}

output "b_to_decide" {
  description = "What cannot be done mechanically."
  value = [
    for i in local.upgrade.report : "${i.type} ${i.name} ${i.path}: ${split(". ", i.text)[0]}"
    if i.action == "manual"
  ]
}

output "c_proof" {
  description = "What both stages change for the proxies."
  value       = local.upgrade.proof
}

# A gate for CI: the plan fails if stage two changes a proxy that has not been reviewed.
output "d_gate" {
  value = local.upgrade.changed_on_3

  precondition {
    condition = length(
      setsubtract(local.upgrade.changed_on_3, ["checkout-1", "payments-1"])
    ) == 0
    error_message = "Stage two changes other proxies than those reviewed:\n${local.upgrade.proof}"
  }
}
