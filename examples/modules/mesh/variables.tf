variable "name" {
  description = "Name of the mesh."
  type        = string

  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", var.name))
    error_message = "The name must have 1 to 63 lowercase letters, digits and \"-\", begin with a letter, and end with a letter or digit."
  }
}

variable "labels" {
  description = "Labels of the mesh and of all policies in it."
  type        = map(string)
  default     = {}
}

variable "kuma_version" {
  description = "Release of the control plane. In a new mesh, Kuma 2.x creates policies of its own, which the module prevents; Kuma 3.0 creates none."
  type        = string
  default     = "3.0"
  nullable    = false

  validation {
    condition     = can(regex("^(2\\.14|3\\.[0-9]+)$", var.kuma_version))
    error_message = "kuma_version must be a minor release that the module supports: \"2.14\" or \"3.0\"."
  }
}

variable "identity" {
  description = "Identities with which proxies authenticate to each other (mutual TLS). Null turns off identities, encryption and permissions."
  type = object({
    # Host of the SPIFFE IDs. Defaults to NAME.mesh.local.
    trust_domain = optional(string)
    # Lifetime of a certificate. The control plane decides when unset.
    certificate_expiry = optional(string)
    # Your own authority. When unset, the control plane generates a self-signed one.
    ca = optional(object({
      certificate        = string # in PEM format, for the MeshTrust
      certificate_secret = string # Secret of the mesh with the same certificate
      private_key_secret = string # Secret of the mesh with the key
    }))
  })
  default = {}

  validation {
    condition     = can(regex("^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$", coalesce(try(var.identity.trust_domain, null), "unset")))
    error_message = "identity.trust_domain must have 1 to 253 lowercase letters, digits, \".\" and \"-\". A template is not allowed, because permissions contain the trust domain."
  }
  validation {
    condition     = can(regex("^([0-9]+(h|m|s))+$", coalesce(try(var.identity.certificate_expiry, null), "1h")))
    error_message = "identity.certificate_expiry must be a duration such as \"24h\" or \"1h30m\"."
  }
  validation {
    condition     = try(startswith(trimspace(var.identity.ca.certificate), "-----BEGIN CERTIFICATE-----"), true)
    error_message = "identity.ca.certificate must be a certificate in PEM format: use file(\"ca.pem\")."
  }
}

variable "trusts" {
  description = "Additional authorities whose identities the proxies accept, such as those of another zone: certificates in PEM format, by trust domain."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for domain in keys(var.trusts) : can(regex("^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$", domain))])
    error_message = "Each key of trusts must be a trust domain: 1 to 253 lowercase letters, digits, \".\" and \"-\"."
  }
  validation {
    condition     = alltrue([for pem in values(var.trusts) : startswith(trimspace(pem), "-----BEGIN CERTIFICATE-----")])
    error_message = "Each value of trusts must contain certificates in PEM format."
  }
}

variable "tls_mode" {
  description = "Whether proxies with an identity also accept plaintext: `Strict` (no) or `Permissive` (yes). Null keeps the default of Kuma."
  type        = string
  default     = "Strict"

  validation {
    condition     = contains(["Strict", "Permissive"], coalesce(var.tls_mode, "Strict"))
    error_message = "tls_mode must be \"Strict\", \"Permissive\" or null."
  }
}

variable "default_deny" {
  description = "Whether proxies reject clients without a permission. `false` allows all clients of the trust domain."
  type        = bool
  default     = true
  nullable    = false
}

variable "passthrough_mode" {
  description = "Destinations outside the mesh that transparent proxies reach: `None`, `Matched` (those that other MeshPassthrough policies list) or `All`. Null keeps the default of Kuma, which is `All` in Kuma 2.14 and `None` in Kuma 3.0."
  type        = string
  default     = "None"

  validation {
    condition     = contains(["None", "Matched", "All"], coalesce(var.passthrough_mode, "None"))
    error_message = "passthrough_mode must be \"None\", \"Matched\", \"All\" or null."
  }
}

variable "outbound_timeouts" {
  description = "Timeouts of all proxies for outgoing traffic. `0s` disables a timeout. The defaults are those of the initial policy of Kuma 2.x. Null creates no policy."
  type = object({
    connection  = optional(string, "5s")
    idle        = optional(string, "1h")
    request     = optional(string, "15s")
    stream_idle = optional(string, "30m")
  })
  default = {}

  validation {
    condition     = try(alltrue([for value in values(var.outbound_timeouts) : can(regex("^([0-9]+(h|m|s|ms))+$", value))]), var.outbound_timeouts == null)
    error_message = "Each attribute of outbound_timeouts must be a duration such as \"500ms\", \"15s\" or \"1h30m\"; \"0s\" disables the timeout."
  }
  validation {
    condition     = try(regex("[1-9]", var.outbound_timeouts.connection) != "", var.outbound_timeouts == null)
    error_message = "outbound_timeouts.connection must be a positive duration."
  }
}

variable "inbound_timeouts" {
  description = "Timeouts of all proxies for incoming traffic. `0s` disables a timeout. The defaults are those of the initial policy of Kuma 2.x. Null creates no policy."
  type = object({
    connection  = optional(string, "10s")
    idle        = optional(string, "2h")
    request     = optional(string, "0s")
    stream_idle = optional(string, "1h")
    max_stream  = optional(string, "0s")
  })
  default = {}

  validation {
    condition     = try(alltrue([for value in values(var.inbound_timeouts) : can(regex("^([0-9]+(h|m|s|ms))+$", value))]), var.inbound_timeouts == null)
    error_message = "Each attribute of inbound_timeouts must be a duration such as \"500ms\", \"15s\" or \"1h30m\"; \"0s\" disables the timeout."
  }
  validation {
    condition     = try(regex("[1-9]", var.inbound_timeouts.connection) != "", var.inbound_timeouts == null)
    error_message = "inbound_timeouts.connection must be a positive duration."
  }
}

variable "retries" {
  description = "Retries of all proxies. The defaults are those of the initial policy of Kuma 2.x. Null turns retries off."
  type = object({
    num_retries     = optional(number, 5)      # of HTTP and gRPC requests
    per_try_timeout = optional(string, "16s")  # of HTTP and gRPC requests
    base_interval   = optional(string, "25ms") # of the backoff
    max_interval    = optional(string, "250ms")
    tcp_attempts    = optional(number, 5) # to connect
  })
  default = {}

  validation {
    condition = try(alltrue([
      for n in [var.retries.num_retries, var.retries.tcp_attempts] : n >= 1 && floor(n) == n
    ]), var.retries == null)
    error_message = "retries.num_retries and retries.tcp_attempts must be positive integers. To turn retries off, set retries to null."
  }
  validation {
    condition = try(alltrue([
      for value in [var.retries.per_try_timeout, var.retries.base_interval, var.retries.max_interval] : can(regex("^([0-9]+(h|m|s|ms))+$", value))
    ]), var.retries == null)
    error_message = "retries.per_try_timeout, retries.base_interval and retries.max_interval must be durations such as \"250ms\"."
  }
}

variable "connection_limits" {
  description = "Circuit breaker of all proxies: limits for concurrent traffic of one proxy to one destination. The defaults are those of the initial policy of Kuma 2.x. Null creates no policy."
  type = object({
    max_connections      = optional(number, 1024)
    max_pending_requests = optional(number, 1024)
    max_requests         = optional(number, 1024)
    max_retries          = optional(number, 3)
  })
  default = {}

  validation {
    condition     = try(alltrue([for n in values(var.connection_limits) : n >= 1 && floor(n) == n]), var.connection_limits == null)
    error_message = "Each attribute of connection_limits must be a positive integer."
  }
}

variable "access_log_file" {
  description = "File on the host of each proxy to which all proxies write access logs, also without a collector. Null writes no file."
  type = object({
    path     = optional(string, "/dev/stdout")
    outbound = optional(bool, true)  # of requests that proxies send
    inbound  = optional(bool, false) # of requests that proxies receive
  })
  default = null

  validation {
    condition     = try(startswith(var.access_log_file.path, "/"), var.access_log_file == null)
    error_message = "access_log_file.path must be an absolute path such as \"/var/log/kuma/access.log\"."
  }
}

variable "prometheus" {
  description = "Endpoint of each proxy from which Prometheus reads metrics, also without a collector. Null opens no endpoint."
  type = object({
    port      = optional(number, 5670)
    path      = optional(string, "/metrics")
    client_id = optional(string) # of the Prometheus server, in kuma_sd_configs
  })
  default = null

  validation {
    condition     = try(var.prometheus.port >= 1 && var.prometheus.port <= 65535 && floor(var.prometheus.port) == var.prometheus.port, var.prometheus == null)
    error_message = "prometheus.port must be an integer from 1 to 65535."
  }
  validation {
    condition     = try(startswith(var.prometheus.path, "/"), var.prometheus == null)
    error_message = "prometheus.path must begin with \"/\"."
  }
}

variable "telemetry" {
  description = "Access logs, metrics and traces of all proxies, sent to an OpenTelemetry collector. Null sends none."
  type = object({
    # Host name or IP address of the collector. Defaults to the host of each proxy.
    address  = optional(string)
    port     = optional(number, 4317)
    protocol = optional(string, "grpc") # or http
    access_log = optional(object({
      outbound = optional(bool, true)  # of requests that proxies send
      inbound  = optional(bool, false) # of requests that proxies receive
    }), {})
    metrics = optional(object({
      enabled          = optional(bool, true)
      refresh_interval = optional(string, "60s")
    }), {})
    traces = optional(object({
      enabled  = optional(bool, true)
      sampling = optional(number, 10) # percent of the requests
    }), {})
  })
  default = {}

  validation {
    condition     = try(var.telemetry.port >= 1 && var.telemetry.port <= 65535 && floor(var.telemetry.port) == var.telemetry.port, var.telemetry == null)
    error_message = "telemetry.port must be an integer from 1 to 65535."
  }
  validation {
    condition     = try(contains(["grpc", "http"], var.telemetry.protocol), var.telemetry == null)
    error_message = "telemetry.protocol must be \"grpc\" or \"http\"."
  }
  validation {
    condition     = try(var.telemetry.traces.sampling >= 0 && var.telemetry.traces.sampling <= 100, true)
    error_message = "telemetry.traces.sampling must be a percentage from 0 to 100."
  }
  validation {
    condition     = can(regex("^([0-9]+(h|m|s))+$", try(var.telemetry.metrics.refresh_interval, "60s")))
    error_message = "telemetry.metrics.refresh_interval must be a duration such as \"60s\"."
  }
}
