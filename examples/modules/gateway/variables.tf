variable "mesh" {
  description = "Name of the mesh."
  type        = string
}

variable "name" {
  description = "Name of the gateway and of its workload, which services list in `callers`."
  type        = string

  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", var.name))
    error_message = "The name must have 1 to 63 lowercase letters, digits and \"-\", begin with a letter, and end with a letter or digit."
  }
}

variable "labels" {
  description = "Additional labels of all resources of the gateway."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for key in keys(var.labels) : !startswith(key, "kuma.io/")])
    error_message = "Labels that begin with \"kuma.io/\" are reserved for the module and the control plane."
  }
}

variable "instances" {
  description = "Dataplanes of the gateway, by name: one for each proxy. Leave it empty if `kuma-dp` registers them; such a Dataplane needs the label `kuma.io/workload` with the name of the gateway."
  type = map(object({
    address    = string
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

variable "inbound_port" {
  description = "Free port of each instance on 127.0.0.1. Policies apply only to proxies with an inbound, so that each Dataplane has one that nothing can call."
  type        = number
  default     = 15100
  nullable    = false

  validation {
    condition     = var.inbound_port >= 1 && var.inbound_port <= 65535 && floor(var.inbound_port) == var.inbound_port
    error_message = "inbound_port must be an integer from 1 to 65535."
  }
}

variable "services" {
  description = "Services that the gateway calls, by name of the MeshService: their local ports and the routes of requests to them."
  type = map(object({
    port         = number # on 127.0.0.1, the upstream of the gateway
    service_port = number # of the service
    # By name. The route with the longest matching prefix applies, and the service gets
    # the requests that match none.
    routes = optional(map(object({
      path_prefix    = string
      backend        = optional(string) # another MeshService; defaults to the service
      backend_port   = optional(number) # defaults to service_port
      replace_prefix = optional(string) # what the backend sees instead of the prefix
      timeout        = optional(string) # of a request; defaults to that of the gateway
    })), {})
  }))
  default  = {}
  nullable = false

  validation {
    condition = alltrue(flatten([
      for s in values(var.services) : [for n in concat([s.port, s.service_port], [for r in values(s.routes) : coalesce(r.backend_port, 1)]) : n >= 1 && n <= 65535 && floor(n) == n]
    ]))
    error_message = "Each port must be an integer from 1 to 65535."
  }
  validation {
    condition     = alltrue(flatten([for s in values(var.services) : [for r in values(s.routes) : startswith(r.path_prefix, "/") && startswith(coalesce(r.replace_prefix, "/"), "/")]]))
    error_message = "path_prefix and replace_prefix must begin with \"/\"."
  }
  validation {
    condition     = alltrue(flatten([for s in values(var.services) : [for r in values(s.routes) : can(regex("^([0-9]+(h|m|s|ms))+$", coalesce(r.timeout, "1s")))]]))
    error_message = "The timeout of a route must be a duration such as \"500ms\" or \"2s\"."
  }
}

variable "timeouts" {
  description = "Timeouts of the gateway for all services. Null keeps the timeouts of the mesh. The default for streams is shorter than in the mesh, because clients outside the mesh may not end them."
  type = object({
    idle        = optional(string, "1h")
    request     = optional(string, "15s")
    stream_idle = optional(string, "5s")
  })
  default = {}

  validation {
    condition     = try(alltrue([for value in values(var.timeouts) : can(regex("^([0-9]+(h|m|s|ms))+$", value))]), var.timeouts == null)
    error_message = "Each attribute of timeouts must be a duration such as \"500ms\", \"15s\" or \"1h30m\"; \"0s\" disables the timeout."
  }
}

variable "limits" {
  description = "Limits for concurrent traffic of one instance to one service. Unset attributes, and null, keep the limits of the mesh."
  type = object({
    max_connections      = optional(number)
    max_pending_requests = optional(number)
    max_requests         = optional(number)
    max_retries          = optional(number)
  })
  default = null

  validation {
    condition     = try(alltrue([for n in values(var.limits) : n >= 1 && floor(n) == n if n != null]), var.limits == null)
    error_message = "Each attribute of limits must be a positive integer."
  }
  validation {
    condition     = try(length([for n in values(var.limits) : n if n != null]) > 0, var.limits == null)
    error_message = "limits must set at least one limit, or be null."
  }
}
