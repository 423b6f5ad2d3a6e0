# Run with terraform test. Requires neither a control plane nor network access.

provider "kuma" {
  embedded {
    directory    = "./.mesh"
    zone         = "zone-1"
    kuma_version = "2.14"
  }
}

variables {
  mesh      = "shop"
  name      = "edge"
  instances = { edge-1 = { address = "192.0.2.8" } }
  listeners = [{ port = 8080, hostname = "shop.example.com" }]
}

run "mesh" {
  module {
    source = "./tests/mesh"
  }
}

run "minimal" {
  assert {
    condition     = length(output.resources) == 2 && join(" ", output.urls) == "http://shop.example.com:8080"
    error_message = "Without routes, only the gateway and its Dataplane must be created."
  }
}

run "https" {
  variables {
    instances = {}
    listeners = [{ port = 8443, certificate = "edge-certificate", connections = 1000 }]
  }

  assert {
    condition = (
      kuma_mesh_gateway.this.conf.listeners[0].protocol == "HTTPS" && kuma_mesh_gateway.this.conf.listeners[0].resources.connection_limit == 1000 &&
      length(output.urls) == 0
    )
    error_message = "With a certificate, the listener must terminate HTTPS."
  }
}

run "complete" {
  variables {
    routes = {
      all    = { service = "storefront", port = 80 }
      search = { path_prefix = "/search", hostnames = ["shop.example.com"], service = "search", port = 80, replace_prefix = "/v2" }
    }
    timeouts = { request = "2s" }
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
    condition     = contains([for conf in values(output.timeouts) : try(conf.http.requestTimeout, null)], "2s")
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
    name      = "Edge"
    instances = { edge-1 = { address = "0.0.0.0" } }
    listeners = []
    routes    = { all = { path_prefix = "all", service = "storefront", port = 80 } }
    timeouts  = { idle = "1" }
  }

  expect_failures = [var.name, var.instances, var.listeners, var.routes, var.timeouts]
}
