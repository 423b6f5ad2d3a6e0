# Run with terraform test. Requires neither a control plane nor network access.

provider "kuma" {
  embedded {
    directory    = "./.mesh"
    zone         = "zone-1"
    kuma_version = "3.0"
  }
}

variables {
  mesh      = "shop"
  name      = "edge"
  instances = { edge-1 = { address = "192.0.2.8" } }
}

run "mesh" {
  module {
    source = "./tests/mesh"
  }
}

run "minimal" {
  assert {
    condition     = length(output.resources) == 2 && kuma_dataplane.this["edge-1"].networking.inbound[0].address == "127.0.0.1"
    error_message = "Without further settings, only the Dataplane and the timeouts must be created."
  }
}

run "registered_by_kuma_dp" {
  variables {
    instances = {}
    timeouts  = null
  }

  assert {
    condition     = length(output.resources) == 0 && output.dataplane_labels["kuma.io/workload"] == "edge"
    error_message = "Without instances and timeouts, nothing must be created."
  }
}

run "route_for_all_requests" {
  variables {
    services = { storefront = { port = 9000, service_port = 80, routes = { all = { path_prefix = "/", backend = "search" } } } }
  }

  assert {
    condition     = join(" ", keys(kuma_mesh_http_route.this)) == "storefront-all"
    error_message = "A route that matches all requests must be the only one."
  }
}

run "complete" {
  variables {
    services = {
      storefront = {
        port         = 9000
        service_port = 80
        routes = {
          search = { path_prefix = "/search", backend = "search", replace_prefix = "/v2/search", timeout = "2s" }
        }
      }
    }
    limits = { max_connections = 200 }
  }

  assert {
    condition     = output.upstreams["storefront"] == "127.0.0.1:9000"
    error_message = "The gateway must know the local address of the service."
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
    condition     = output.service["MeshTimeout"].http.streamIdleTimeout == "5s" && output.service["MeshCircuitBreaker"].connectionLimits.maxConnections == 200
    error_message = output.explanation
  }

  assert {
    condition     = output.route["MeshTimeout"].http.requestTimeout == "2s" && output.route["MeshTimeout"].http.streamIdleTimeout == "5s"
    error_message = output.explanation
  }

  assert {
    condition = { for rule in output.service["MeshHTTPRoute"].rules : rule.matches[0].path.value => rule.default.backendRefs[0].labels["kuma.io/display-name"] } == {
      "/"       = "storefront"
      "/search" = "search"
    }
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
    name         = "Edge"
    labels       = { "kuma.io/workload" = "web" }
    instances    = { edge-1 = { address = "0.0.0.0" } }
    inbound_port = 0
    services     = { storefront = { port = 9000, service_port = 80, routes = { search = { path_prefix = "search" } } } }
    timeouts     = { idle = "1" }
    limits       = {}
  }

  expect_failures = [var.name, var.labels, var.instances, var.inbound_port, var.services, var.timeouts, var.limits]
}
