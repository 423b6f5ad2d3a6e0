# Run with terraform test. Requires neither a control plane nor network access.

provider "kuma" {
  embedded {
    directory    = "./.mesh"
    zone         = "zone-1"
    kuma_version = "3.0"
  }
}

variables {
  name         = "shop"
  kuma_version = "3.0"
}

run "defaults" {
  assert {
    condition     = output.trust_domain == "shop.mesh.local"
    error_message = "trust domain: ${output.trust_domain}"
  }

  assert {
    condition     = length(kuma_mesh_traffic_permission.all) == 0 && kuma_mesh_passthrough.this[0].spec.default.passthrough_mode == "None"
    error_message = "Clients or destinations are allowed by default."
  }
}

run "effective_defaults" {
  module {
    source = "./tests/rules"
  }

  variables {
    resources = run.defaults.resources
  }

  assert {
    condition     = output.outbound["MeshTimeout"].http.requestTimeout == "15s" && output.outbound["MeshRetry"].http.numRetries == 5 && output.outbound["MeshCircuitBreaker"].connectionLimits.maxRequests == 1024
    error_message = output.explanation
  }

  assert {
    condition     = length(output.codes) == 0
    error_message = output.findings
  }
}

run "settings" {
  variables {
    outbound_timeouts = { request = "5s" }
    inbound_timeouts  = null
    retries           = null
    connection_limits = { max_requests = 10 }
    default_deny      = false
    telemetry         = { address = "otel.shop.internal", protocol = "http", port = 4318, access_log = { inbound = true }, metrics = { enabled = false } }
  }

  assert {
    condition     = kuma_mesh_traffic_permission.all[0].spec.rules[0].default.allow[0].spiffe_id.value == "spiffe://shop.mesh.local"
    error_message = "The permission must name the trust domain."
  }

  assert {
    condition = (
      length(kuma_mesh_timeout.inbound) == 0 && length(kuma_mesh_retry.this) == 0 && length(kuma_mesh_metric.this) == 0 &&
      length(kuma_mesh_access_log.inbound) == 1 && length(kuma_mesh_trace.this) == 1
    )
    error_message = "The parts of the module must match the variables."
  }
}

run "effective_settings" {
  module {
    source = "./tests/rules"
  }

  variables {
    resources = run.settings.resources
  }

  assert {
    condition = (
      output.outbound["MeshTimeout"].http.requestTimeout == "5s" && output.outbound["MeshTimeout"].connectionTimeout == "5s" &&
      output.outbound["MeshCircuitBreaker"].connectionLimits.maxRequests == 10 && !contains(keys(output.outbound), "MeshRetry")
    )
    error_message = output.explanation
  }

  assert {
    condition     = length(output.codes) == 0
    error_message = output.findings
  }
}

run "without_a_collector" {
  variables {
    telemetry       = null
    access_log_file = { path = "/var/log/kuma/access.log", inbound = true }
    prometheus      = { port = 9090, client_id = "shop" }
  }

  assert {
    condition = (
      kuma_mesh_access_log.outbound[0].spec.to[0].default.backends[0].file.path == "/var/log/kuma/access.log" &&
      kuma_mesh_access_log.inbound[0].spec.rules[0].default.backends[0].file.path == "/var/log/kuma/access.log" &&
      kuma_mesh_metric.this[0].spec.default.backends[0].prometheus.port == 9090 && length(kuma_mesh_open_telemetry_backend.this) == 0
    )
    error_message = "Without a collector, proxies must write the file and open the endpoint."
  }
}

run "file_and_prometheus_beside_a_collector" {
  variables {
    access_log_file = {}
    prometheus      = {}
  }

  assert {
    condition = (
      join(" ", kuma_mesh_access_log.outbound[0].spec.to[0].default.backends[*].type) == "OpenTelemetry File" &&
      length(kuma_mesh_access_log.inbound) == 0 &&
      join(" ", kuma_mesh_metric.this[0].spec.default.backends[*].type) == "OpenTelemetry Prometheus"
    )
    error_message = "The file and the endpoint must be added to the collector."
  }
}

run "everything_off" {
  variables {
    identity          = null
    tls_mode          = null
    passthrough_mode  = null
    outbound_timeouts = null
    inbound_timeouts  = null
    retries           = null
    connection_limits = null
    telemetry         = null
  }

  assert {
    condition     = length(output.resources) == 1 && output.trust_domain == null
    error_message = "Only the mesh must remain."
  }
}

run "own_authority" {
  variables {
    identity = {
      trust_domain = "shop.example"
      ca = {
        # Only the format of a certificate is checked before a proxy uses it.
        certificate        = file("./tests/ca.pem")
        certificate_secret = "ca-certificate"
        private_key_secret = "ca-key"
      }
    }
    trusts = { "partner.example" = file("./tests/ca.pem") }
  }

  assert {
    condition     = toset(keys(kuma_mesh_trust.this)) == toset(["shop.example", "partner.example"]) && kuma_mesh_identity.this[0].spec.provider.bundled.mesh_trust_creation == "Disabled"
    error_message = "The module must create a MeshTrust for each authority that it knows."
  }
}

run "invalid_mesh" {
  command = plan

  variables {
    name         = "Shop"
    kuma_version = "2.13"
  }

  expect_failures = [var.name, var.kuma_version]
}

run "invalid_identity" {
  command = plan

  variables {
    identity = { trust_domain = "Shop", certificate_expiry = "1d" }
    trusts   = { "partner.example" = "ca.pem" }
  }

  expect_failures = [var.identity, var.trusts]
}

run "invalid_modes" {
  command = plan

  variables {
    tls_mode         = "strict"
    passthrough_mode = "none"
  }

  expect_failures = [var.tls_mode, var.passthrough_mode]
}

run "invalid_telemetry" {
  command = plan

  variables {
    access_log_file = { path = "access.log" }
    prometheus      = { port = 0, path = "metrics" }
  }

  expect_failures = [var.access_log_file, var.prometheus]
}

run "invalid_traffic_settings" {
  command = plan

  variables {
    outbound_timeouts = { request = "15" }
    inbound_timeouts  = { connection = "0s" }
    retries           = { num_retries = 0 }
    connection_limits = { max_requests = 1.5 }
    telemetry         = { port = 70000 }
  }

  expect_failures = [var.outbound_timeouts, var.inbound_timeouts, var.retries, var.connection_limits, var.telemetry]
}
