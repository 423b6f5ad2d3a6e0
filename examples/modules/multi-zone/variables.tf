variable "mesh" {
  description = "Name of the mesh."
  type        = string
}

variable "name" {
  description = "Name of the service in all zones, and the first part of its host name."
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

variable "services" {
  description = "Labels of the MeshServices to join, in any zone. Defaults to the display name `name`."
  type        = map(string)
  default     = null

  validation {
    condition     = var.services == null || length(coalesce(var.services, {})) > 0
    error_message = "services must contain at least one label, or be null."
  }
}

variable "ports" {
  description = "Ports that clients call, by name. The joined MeshServices have the same ports."
  type = map(object({
    port     = number
    protocol = optional(string, "http") # http, http2, grpc or tcp
  }))

  validation {
    condition     = length(var.ports) > 0 && alltrue([for p in values(var.ports) : p.port >= 1 && p.port <= 65535 && floor(p.port) == p.port])
    error_message = "At least one port is required, and each must be an integer from 1 to 65535."
  }
  validation {
    condition     = alltrue([for p in values(var.ports) : contains(["http", "http2", "grpc", "tcp"], p.protocol)])
    error_message = "The protocol of a port must be \"http\", \"http2\", \"grpc\" or \"tcp\"."
  }
}

variable "locality" {
  description = "Where requests go. By default, to the zone of the client, and to no other zone. Null creates no policy, and keeps the settings of the mesh."
  type = object({
    # Whether all zones get the same share.
    disabled = optional(bool, false)
    # Tags by which instances in the zone of the client are preferred, the most important first.
    affinity = optional(list(string), [])
    # Where requests go if too few instances in the zone are healthy, the first choice first.
    failover = optional(list(object({
      from = optional(list(string)) # zones of the clients; all by default
      to   = optional(list(string)) # zones; any by default
    })), [])
    # Percentage of healthy instances below which the next zones get requests.
    failover_threshold = optional(number)
  })
  default = {}

  validation {
    condition     = try(var.locality.failover_threshold > 0 && var.locality.failover_threshold <= 100, true)
    error_message = "locality.failover_threshold must be above 0 and at most 100."
  }
  validation {
    condition     = try(var.locality.failover_threshold == null || length(var.locality.failover) > 0, true)
    error_message = "locality.failover_threshold requires locality.failover."
  }
}
