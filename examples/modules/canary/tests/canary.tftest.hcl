# Run with terraform test. Requires neither a control plane nor network access.

provider "kuma" {
  embedded {
    directory    = "./.mesh"
    zone         = "zone-1"
    kuma_version = "3.0"
  }
}

variables {
  mesh    = "shop"
  service = "checkout"
  port    = { port = 80, target_port = 8080 }
}

run "service" {
  module {
    source = "./tests/service"
  }
}

run "canary" {
  variables {
    weight   = 10
    timeouts = { request = "3s" }
  }
}

run "requests_are_split" {
  module {
    source = "./tests/rules"
  }

  variables {
    resources = run.canary.resources
    route     = run.canary.route
  }

  assert {
    condition     = join(" ", output.rules[1].default.backendRefs[*].weight) == "90 10"
    error_message = "${jsonencode(output.rules)}\n${output.explanation}"
  }

  assert {
    condition = (
      output.rules[0].matches[0].headers[0].name == "x-canary" &&
      output.rules[0].matches[0].path.value == "/" &&
      length(output.rules[0].default.backendRefs) == 1
    )
    error_message = output.explanation
  }

  assert {
    condition     = output.timeouts.requestTimeout == "3s"
    error_message = output.explanation
  }

  assert {
    condition     = length(output.codes) == 0
    error_message = output.findings
  }
}

run "promoted" {
  variables {
    weight = 100
    header = null
  }
}

run "all_requests_go_to_the_canary" {
  module {
    source = "./tests/rules"
  }

  variables {
    resources = run.promoted.resources
    route     = run.promoted.route
  }

  assert {
    condition = (
      length(output.rules) == 1 &&
      join(" ", output.rules[0].default.backendRefs[*].weight) == "0 100"
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
    port     = { port = 80, protocol = "tcp" }
    versions = { stable = { version = "v1" }, canary = { version = "v1" } }
    weight   = 101
    header   = { name = "X Canary" }
    timeouts = {}
  }

  expect_failures = [var.port, var.versions, var.weight, var.header, var.timeouts]
}
