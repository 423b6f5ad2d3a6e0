variable "mesh" {
  description = "Name of the mesh."
  type        = string
}

variable "name" {
  description = "Name of the gateway, of its tag `kuma.io/service` and of its workload."
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

variable "instances" {
  description = "Dataplanes of the gateway, by name: one for each proxy. Leave it empty if `kuma-dp` registers them; such a Dataplane needs the tag `kuma.io/service` with the name of the gateway."
  type = map(object({
    address = string
  }))
  default = {}

  validation {
    condition     = alltrue([for i in values(var.instances) : !contains(["", "0.0.0.0", "::"], i.address)])
    error_message = "The address of an instance must be an IP address or a host name; 0.0.0.0 and :: are not allowed."
  }
}

variable "listeners" {
  description = "Ports that clients outside the mesh call."
  type = list(object({
    port        = number
    hostname    = optional(string) # all host names by default
    certificate = optional(string) # Secret with certificate and key, for HTTPS
    connections = optional(number) # the most at a time
  }))

  validation {
    condition     = length(var.listeners) > 0 && alltrue([for l in var.listeners : l.port >= 1 && l.port <= 65535 && floor(l.port) == l.port])
    error_message = "At least one listener is required, and each port must be an integer from 1 to 65535."
  }
}

variable "routes" {
  description = "Where requests go, by name of the route. The longest matching prefix applies, and requests that match none are answered with 404."
  type = map(object({
    path_prefix    = optional(string, "/")
    hostnames      = optional(list(string)) # all host names by default
    service        = string                 # name of the MeshService
    port           = number                 # of the service
    replace_prefix = optional(string)       # what the service sees instead of the prefix
  }))
  default  = {}
  nullable = false

  validation {
    condition     = alltrue([for r in values(var.routes) : startswith(r.path_prefix, "/") && startswith(coalesce(r.replace_prefix, "/"), "/")])
    error_message = "path_prefix and replace_prefix must begin with \"/\"."
  }
}

variable "timeouts" {
  description = "Timeouts of the gateway for all services. Null keeps the timeouts of the mesh."
  type = object({
    idle        = optional(string)
    request     = optional(string)
    stream_idle = optional(string)
  })
  default = null

  validation {
    condition     = try(alltrue([for value in values(var.timeouts) : can(regex("^([0-9]+(h|m|s|ms))+$", value)) if value != null]), var.timeouts == null)
    error_message = "Each attribute of timeouts must be a duration such as \"500ms\", \"15s\" or \"1h30m\"; \"0s\" disables the timeout."
  }
}
