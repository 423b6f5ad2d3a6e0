# Run with terraform test. Requires neither a control plane nor network access.

provider "kuma" {
  embedded {
    directory    = "./.mesh"
    zone         = "zone-1"
    kuma_version = "3.0"
  }
}

variables {
  mesh  = "shop"
  name  = "checkout"
  ports = { http = { port = 80 } }
}

run "mesh" {
  module {
    source = "./tests/mesh"
  }
}

run "without_locality" {
  variables {
    locality = null
  }

  assert {
    condition     = length(output.resources) == 1 && output.hostname == "checkout.mzsvc.mesh.local"
    error_message = "Without locality, only the MeshMultiZoneService must be created."
  }
}

run "all_zones_alike" {
  variables {
    services = { team = "checkout" }
    locality = { disabled = true }
  }

  assert {
    condition     = kuma_mesh_load_balancing_strategy.this[0].spec.to[0].default.locality_awareness.disabled
    error_message = "All zones must get the same share."
  }
}

run "complete" {
  variables {
    locality = {
      affinity = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]
      failover = [
        { from = ["zone-1"], to = ["zone-2"] },
        {},
      ]
      failover_threshold = 70
    }
  }
}

# This run comes after all that change the module: OpenTofu cleans up in reverse order, and
# silently stops at a run whose variables refer to one that it has already cleaned up.
run "effective" {
  module {
    source = "./tests/rules"
  }

  variables {
    resources = run.complete.resources
  }

  assert {
    condition = (
      join(" ", output.locality.localZone.affinityTags[*].key) == "topology.kubernetes.io/zone kubernetes.io/hostname" &&
      output.locality.crossZone.failover[0].to.zones[0] == "zone-2" && output.locality.crossZone.failover[1].to.type == "Any" &&
      tostring(output.locality.crossZone.failoverThreshold.percentage) == "70"
    )
    error_message = output.explanation
  }

  assert {
    condition     = length(output.codes) == 0
    error_message = output.findings
  }
}

run "invalid" {
  command = plan

  variables {
    name     = "Checkout"
    services = {}
    ports    = { http = { port = 0, protocol = "https" } }
    locality = { failover_threshold = 120 }
  }

  expect_failures = [var.name, var.services, var.ports, var.locality]
}
