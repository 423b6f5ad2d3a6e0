# terraform test: no control plane, no network, nothing is applied.

provider "kuma" {
  embedded {
    directory = "./.mesh"
    zone      = "test"
  }
}

run "policies" {
  command = plan

  variables {
    mesh      = "shop"
    service   = "checkout"
    impatient = { frontend = "2s" }
  }
}

run "clients" {
  command = plan

  module {
    source = "./tests/mesh"
  }

  variables {
    policies = run.policies.policies
    clients  = ["frontend", "batch"]
  }

  assert {
    condition     = output.timeouts == { frontend = "2s", batch = "15s" }
    error_message = join("\n\n", values(output.explanations))
  }

  assert {
    condition     = strcontains(output.explanations["frontend"], "2s ← checkout-timeout-of-frontend, overrides 15s of checkout-timeout")
    error_message = output.explanations["frontend"]
  }
}
