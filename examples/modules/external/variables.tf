variable "mesh" {
  description = "Name of the mesh."
  type        = string
}

variable "name" {
  description = "Name of the external service in the mesh, which is also the first part of its host name."
  type        = string

  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", var.name))
    error_message = "The name must have 1 to 63 lowercase letters, digits and \"-\", begin with a letter, and end with a letter or digit."
  }
}

variable "labels" {
  description = "Additional labels of all resources."
  type        = map(string)
  default     = {}
}

variable "port" {
  description = "Port that clients in the mesh call."
  type        = number

  validation {
    condition     = var.port >= 1 && var.port <= 65535 && floor(var.port) == var.port
    error_message = "port must be an integer from 1 to 65535."
  }
}

variable "protocol" {
  description = "Protocol that clients speak: `http`, `http2`, `grpc` or `tcp`. With `tls`, clients send it unencrypted, and the egress encrypts it."
  type        = string
  default     = "http"
  nullable    = false

  validation {
    condition     = contains(["http", "http2", "grpc", "tcp"], var.protocol)
    error_message = "protocol must be \"http\", \"http2\", \"grpc\" or \"tcp\"."
  }
}

variable "endpoints" {
  description = "Addresses of the service outside the mesh."
  type = list(object({
    address  = string # IP address or host name
    port     = number
    priority = optional(number) # the lowest with healthy endpoints is used
  }))

  validation {
    condition     = length(var.endpoints) > 0
    error_message = "At least one endpoint is required."
  }
  validation {
    condition     = alltrue([for e in var.endpoints : e.port >= 1 && e.port <= 65535 && floor(e.port) == e.port])
    error_message = "The port of an endpoint must be an integer from 1 to 65535."
  }
  validation {
    condition     = alltrue([for e in var.endpoints : coalesce(e.priority, 0) >= 0 && coalesce(e.priority, 0) <= 128])
    error_message = "The priority of an endpoint must be an integer from 0 to 128."
  }
}

variable "tls" {
  description = "TLS between the zone egress and the service. The certificate is verified with the authorities of the system. Null disables TLS."
  type = object({
    # Name that the certificate must have. Defaults to the host name of the first endpoint.
    server_name = optional(string)
    min_version = optional(string, "TLS12")
  })
  default = {}

  validation {
    condition     = contains(["TLS10", "TLS11", "TLS12", "TLS13"], try(var.tls.min_version, "TLS12"))
    error_message = "tls.min_version must be \"TLS10\", \"TLS11\", \"TLS12\" or \"TLS13\"."
  }
}

variable "trust_domain" {
  description = "Trust domain of the clients: the output of the mesh module. Required if `callers` contains names of workloads."
  type        = string
  default     = null
}

variable "callers" {
  description = "Clients that may reach the service: names of workloads of the trust domain, or SPIFFE IDs. Without callers, no permission is created."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for c in var.callers : can(regex("^([a-z]([-a-z0-9]{0,61}[a-z0-9])?|spiffe://[a-z0-9._-]+(/[a-zA-Z0-9._-]+)+)$", c))])
    error_message = "Each caller must be the name of a workload, such as \"checkout\", or a SPIFFE ID, such as \"spiffe://partner.example/workload/checkout\"."
  }
}

variable "egress_labels" {
  description = "Labels of the Dataplane of the zone egress, which enforces the permission. Defaults to the label that the control plane adds to every zone egress."
  type        = map(string)
  default     = { "kuma.io/listener-zoneegress" = "enabled" }

  validation {
    condition     = length(var.egress_labels) > 0
    error_message = "At least one label is required: without labels, the permission would apply to all proxies."
  }
}

variable "passthrough" {
  description = "Destinations that workloads reach directly, without the egress and without a permission, by workload. Requires transparent proxies."
  type = map(list(object({
    type     = string # Domain, IP or CIDR
    value    = string
    port     = optional(number) # all ports when unset; required with a domain that is not a wildcard
    protocol = optional(string, "tcp")
  })))
  default  = {}
  nullable = false

  validation {
    condition     = alltrue(flatten([for matches in values(var.passthrough) : [for m in matches : contains(["Domain", "IP", "CIDR"], m.type)]]))
    error_message = "The type of a passthrough must be \"Domain\", \"IP\" or \"CIDR\"."
  }
  validation {
    condition     = alltrue(flatten([for matches in values(var.passthrough) : [for m in matches : m.type != "Domain" || m.port != null || startswith(m.value, "*.")]]))
    error_message = "A passthrough to a domain must have a port, because Kuma 3.0 ignores it without one. Only wildcards such as \"*.example.com\" work without."
  }
  validation {
    condition     = alltrue(flatten([for matches in values(var.passthrough) : [for m in matches : contains(["tcp", "tls", "http", "http2", "grpc", "mysql"], m.protocol)]]))
    error_message = "The protocol of a passthrough must be \"tcp\", \"tls\", \"http\", \"http2\", \"grpc\" or \"mysql\"."
  }
}
