# Run with terraform test. Requires neither a control plane nor network access.

provider "kuma" {
  embedded {
    directory    = "./.mesh"
    zone         = "zone-1"
    kuma_version = "3.0"
  }
}

variables {
  mesh         = "shop"
  name         = "checkout"
  trust_domain = "shop.mesh.local"
  ports        = { http = { port = 80, target_port = 8080 } }
  instances    = { checkout-1 = { address = "192.0.2.1" } }
}

run "mesh" {
  module {
    source = "./tests/mesh"
  }
}

run "minimal" {
  assert {
    condition     = length(output.resources) == 2 && join(",", output.dataplanes) == "checkout-1"
    error_message = "Without further settings, only the MeshService and the Dataplane must be created."
  }
}

run "tcp" {
  variables {
    ports   = { postgres = { port = 5432, protocol = "tcp" } }
    traffic = { retries = { num_retries = 3 }, rate_limit = { requests = 10 }, health_check = {} }
  }

  assert {
    condition     = kuma_mesh_retry.this[0].spec.to[0].default.tcp.max_connect_attempt == 3 && kuma_mesh_rate_limit.this[0].spec.rules[0].default.local.tcp.connection_rate.num == 10
    error_message = "A service over TCP must get the settings for TCP."
  }
}

run "retries_off" {
  variables {
    ports   = { http = { port = 80 }, postgres = { port = 5432, protocol = "tcp" } }
    traffic = { retries = { num_retries = 0 } }
  }

  assert {
    condition     = kuma_mesh_retry.this[0].spec.to[0].default.http.num_retries == 0 && kuma_mesh_retry.this[0].spec.to[0].default.tcp.max_connect_attempt == 1
    error_message = "Requests and connections must be attempted once."
  }
}

run "registered_by_kuma_dp" {
  variables {
    instances = {}
  }

  assert {
    condition     = length(output.dataplanes) == 0 && output.dataplane_labels["kuma.io/workload"] == "checkout"
    error_message = "Without instances, the module must output the labels that a Dataplane needs."
  }
}

run "behind_a_transparent_proxy" {
  variables {
    transparent_proxy = true
    outbounds         = { payments = { service_port = 80 } }
  }

  assert {
    condition = (
      length(kuma_dataplane.this["checkout-1"].networking.outbound) == 0 &&
      kuma_dataplane.this["checkout-1"].networking.transparent_proxying.reachable_backends.refs[0].labels["kuma.io/display-name"] == "payments"
    )
    error_message = "The instances must reach the services that the application calls."
  }
}

run "complete" {
  variables {
    hostname  = "{{ .DisplayName }}.shop.internal"
    callers   = ["storefront", "spiffe://partner.example/workload/orders"]
    outbounds = { payments = { port = 9000, service_port = 80 } }
    instances = {
      checkout-1 = { address = "192.0.2.1", admin_port = 9901 }
      checkout-2 = { address = "192.0.2.2", labels = { version = "v2" } }
    }
    traffic = {
      timeouts          = { request = "2s" }
      retries           = { num_retries = 2, retry_on = ["GatewayError", "HttpMethodGet"] }
      connection_limits = { max_requests = 100 }
      outlier_detection = {}
      rate_limit        = { requests = 500 }
      health_check      = { path = "/health" }
    }
  }

  assert {
    condition = toset([for a in kuma_mesh_traffic_permission.callers[0].spec.rules[0].default.allow : a.spiffe_id.value]) == toset([
      "spiffe://shop.mesh.local/workload/storefront", "spiffe://partner.example/workload/orders",
    ])
    error_message = "The permission must name the callers by identity."
  }
  assert {
    condition     = output.hostname == "checkout.shop.internal"
    error_message = "The module must output the host name of the service."
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
      output.outbound["MeshTimeout"].http.requestTimeout == "2s" && output.outbound["MeshRetry"].http.numRetries == 2 &&
      output.outbound["MeshCircuitBreaker"].connectionLimits.maxRequests == 100 &&
      output.outbound["MeshCircuitBreaker"].outlierDetection.detectors.totalFailures.consecutive == 5 &&
      output.outbound["MeshHealthCheck"].http.path == "/health"
    )
    error_message = output.explanation
  }

  assert {
    condition     = length(output.codes) == 0
    error_message = output.findings
  }
}

run "callers_need_a_trust_domain" {
  command = plan

  variables {
    trust_domain = null
    callers      = ["storefront"]
  }

  expect_failures = [kuma_mesh_traffic_permission.callers]
}

run "outbounds_need_a_local_port" {
  command = plan

  variables {
    outbounds = { payments = { service_port = 80 } }
  }

  expect_failures = [kuma_dataplane.this]
}

run "invalid_service" {
  command = plan

  variables {
    name      = "Checkout"
    labels    = { "kuma.io/workload" = "web" }
    ports     = { http = { port = 80, protocol = "https" } }
    instances = { checkout-1 = { address = "0.0.0.0" } }
    hostname  = "*.shop.internal"
  }

  expect_failures = [var.name, var.labels, var.ports, var.instances, var.hostname]
}

run "invalid_traffic" {
  command = plan

  variables {
    callers   = ["Storefront"]
    outbounds = { payments = { port = 0, service_port = 80 } }
    traffic   = { timeouts = { request = "2" }, retries = { num_retries = -1 }, health_check = { path = "health" } }
  }

  expect_failures = [var.callers, var.outbounds, var.traffic]
}
