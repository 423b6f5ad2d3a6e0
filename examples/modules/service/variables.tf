variable "mesh" {
  description = "Name of the mesh. Pass the output of the mesh module, so that the mesh is created first."
  type        = string
}

variable "name" {
  description = "Name of the service, of its MeshService and of its workload."
  type        = string

  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", var.name))
    error_message = "The name must have 1 to 63 lowercase letters, digits and \"-\", begin with a letter, and end with a letter or digit."
  }
}

variable "labels" {
  description = "Additional labels of all resources of the service."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for key in keys(var.labels) : !startswith(key, "kuma.io/")])
    error_message = "Labels that begin with \"kuma.io/\" are reserved for the module and the control plane."
  }
}

variable "ports" {
  description = "Ports of the service, by name."
  type = map(object({
    port         = number                   # that clients call
    target_port  = optional(number)         # of the proxy; defaults to port
    service_port = optional(number)         # of the application; defaults to target_port
    protocol     = optional(string, "http") # http, http2, grpc or tcp
  }))

  validation {
    condition     = length(var.ports) > 0
    error_message = "At least one port is required."
  }
  validation {
    condition     = alltrue([for name in keys(var.ports) : can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", name))])
    error_message = "The name of a port must have 1 to 63 lowercase letters, digits and \"-\", begin with a letter, and end with a letter or digit."
  }
  validation {
    condition = alltrue(flatten([
      for p in values(var.ports) : [for n in [p.port, coalesce(p.target_port, p.port), coalesce(p.service_port, p.port)] : n >= 1 && n <= 65535 && floor(n) == n]
    ]))
    error_message = "Each port must be an integer from 1 to 65535."
  }
  validation {
    condition     = length(distinct([for p in values(var.ports) : p.port])) == length(var.ports)
    error_message = "Each port must be unique."
  }
  validation {
    condition     = alltrue([for p in values(var.ports) : contains(["http", "http2", "grpc", "tcp"], p.protocol)])
    error_message = "The protocol of a port must be \"http\", \"http2\", \"grpc\" or \"tcp\"."
  }
}

variable "service_tag" {
  description = "Tag `kuma.io/service` of the proxies, for meshes of Kuma 2.x that still have services by tag: the MeshService selects by the tag, and the inbounds of `instances` have it. Null on Kuma 3.0, which has no tags."
  type        = string
  default     = null

  validation {
    condition     = can(regex("^[a-zA-Z0-9_.-]+$", coalesce(var.service_tag, "unset")))
    error_message = "service_tag must consist of letters, digits, \"-\", \"_\" and \".\"."
  }
}

variable "hostname" {
  description = "Host name of the service, as a template of a HostnameGenerator such as `{{ .DisplayName }}.shop.internal`. If null, only existing generators apply; a new control plane has one for `{{ .DisplayName }}.svc.mesh.local`."
  type        = string
  default     = null

  validation {
    condition     = can(regex("^[a-z0-9{]", coalesce(var.hostname, "unset")))
    error_message = "hostname must be a host name or a template of one, such as \"{{ .DisplayName }}.shop.internal\"."
  }
}

variable "instances" {
  description = "Dataplanes of the service, by name: one for each proxy. Leave it empty if `kuma-dp` registers them from a file; such a Dataplane needs the labels of the output `dataplane_labels`."
  type = map(object({
    address    = string # IP address or host name that other proxies connect to
    labels     = optional(map(string), {})
    admin_port = optional(number)
  }))
  default = {}

  validation {
    condition     = alltrue([for name in keys(var.instances) : can(regex("^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$", name))])
    error_message = "The name of an instance must have 1 to 253 lowercase letters, digits, \"-\" and \".\"."
  }
  validation {
    condition     = alltrue([for i in values(var.instances) : !contains(["", "0.0.0.0", "::"], i.address)])
    error_message = "The address of an instance must be an IP address or a host name that other proxies can connect to; 0.0.0.0 and :: are not allowed."
  }
}

variable "outbounds" {
  description = "Services that the application calls: on local ports, or on their host names behind a transparent proxy. The instances reach no other services."
  type = map(object({
    port         = optional(number)                # on 127.0.0.1; not used behind a transparent proxy
    service_port = number                          # of the service
    service      = optional(string)                # defaults to the key of the map
    kind         = optional(string, "MeshService") # or MeshExternalService, MeshMultiZoneService
  }))
  default = {}

  validation {
    condition     = alltrue(flatten([for o in values(var.outbounds) : [for n in [coalesce(o.port, 1), o.service_port] : n >= 1 && n <= 65535 && floor(n) == n]]))
    error_message = "Each port must be an integer from 1 to 65535."
  }
  validation {
    condition     = alltrue([for o in values(var.outbounds) : contains(["MeshService", "MeshExternalService", "MeshMultiZoneService"], o.kind)])
    error_message = "The kind of an outbound must be \"MeshService\", \"MeshExternalService\" or \"MeshMultiZoneService\"."
  }
}

variable "transparent_proxy" {
  description = "Whether the instances run behind a transparent proxy, with the default ports of `kumactl install transparent-proxy`. Without one, the application calls services on local ports."
  type        = bool
  default     = false
  nullable    = false
}

variable "trust_domain" {
  description = "Trust domain of the clients: the output of the mesh module. Required if `callers` contains names of workloads."
  type        = string
  default     = null
}

variable "callers" {
  description = "Clients that may call the service: names of workloads of the trust domain, or SPIFFE IDs. Without callers, no permission is created."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for c in var.callers : can(regex("^([a-z]([-a-z0-9]{0,61}[a-z0-9])?|spiffe://[a-z0-9._-]+(/[a-zA-Z0-9._-]+)+)$", c))])
    error_message = "Each caller must be the name of a workload, such as \"storefront\", or a SPIFFE ID, such as \"spiffe://partner.example/workload/storefront\"."
  }
}

variable "traffic" {
  description = "Settings of the clients of the service and of the service itself. Unset attributes keep the defaults of the mesh."
  type = object({
    timeouts = optional(object({
      connection  = optional(string)
      idle        = optional(string)
      request     = optional(string) # 0s disables it
      stream_idle = optional(string)
    }))
    retries = optional(object({
      num_retries     = optional(number) # 0 turns retries off
      per_try_timeout = optional(string)
      retry_on        = optional(list(string)) # such as GatewayError, ConnectFailure, 503, HttpMethodGet
    }))
    # Limits for concurrent traffic of one client.
    connection_limits = optional(object({
      max_connections      = optional(number)
      max_pending_requests = optional(number)
      max_requests         = optional(number)
      max_retries          = optional(number)
    }))
    # Conditions under which clients stop calling a failing instance.
    outlier_detection = optional(object({
      consecutive_failures = optional(number, 5)
      interval             = optional(string, "10s")
      ejection_time        = optional(string, "30s")
      max_ejection_percent = optional(number, 50)
    }))
    # Limit for the requests of all clients to one instance.
    rate_limit = optional(object({
      requests = number
      interval = optional(string, "1s")
    }))
    # Health checks of the instances by each client; over TCP without a path.
    health_check = optional(object({
      path                = optional(string)
      interval            = optional(string, "10s")
      timeout             = optional(string, "2s")
      unhealthy_threshold = optional(number, 3)
      healthy_threshold   = optional(number, 1)
    }))
  })
  default  = {}
  nullable = false

  validation {
    condition = alltrue([
      for value in concat(
        try([for v in values(var.traffic.timeouts) : v if v != null], []),
        [for v in [
          try(var.traffic.retries.per_try_timeout, null),
          try(var.traffic.outlier_detection.interval, null),
          try(var.traffic.outlier_detection.ejection_time, null),
          try(var.traffic.rate_limit.interval, null),
          try(var.traffic.health_check.interval, null),
          try(var.traffic.health_check.timeout, null),
        ] : v if v != null],
      ) : can(regex("^([0-9]+(h|m|s|ms))+$", value))
    ])
    error_message = "Timeouts and intervals must be durations such as \"500ms\", \"15s\" or \"1h30m\"."
  }
  validation {
    condition = alltrue([
      for n in concat(
        try([for v in values(var.traffic.connection_limits) : v if v != null], []),
        [for v in [
          try(var.traffic.outlier_detection.consecutive_failures, null),
          try(var.traffic.rate_limit.requests, null),
          try(var.traffic.health_check.unhealthy_threshold, null),
          try(var.traffic.health_check.healthy_threshold, null),
        ] : v if v != null],
      ) : n >= 1 && floor(n) == n
    ])
    error_message = "Numbers of connections, requests, failures and checks must be positive integers."
  }
  validation {
    condition     = try(var.traffic.retries.num_retries >= 0 && floor(var.traffic.retries.num_retries) == var.traffic.retries.num_retries, true)
    error_message = "traffic.retries.num_retries must be an integer of at least 0. 0 turns retries off."
  }
  validation {
    condition     = try(var.traffic.outlier_detection.max_ejection_percent >= 0 && var.traffic.outlier_detection.max_ejection_percent <= 100, true)
    error_message = "traffic.outlier_detection.max_ejection_percent must be a percentage from 0 to 100."
  }
  validation {
    condition     = startswith(try(coalesce(var.traffic.health_check.path), "/"), "/")
    error_message = "traffic.health_check.path must begin with \"/\"."
  }
  validation {
    condition     = try(length([for v in values(var.traffic.timeouts) : v if v != null]) > 0, true)
    error_message = "traffic.timeouts must set at least one timeout."
  }
}
