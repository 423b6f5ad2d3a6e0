variable "mesh" {
  description = "Name of the mesh."
  type        = string
}

variable "service" {
  description = "Name of the MeshService that clients call, which is also the workload of its proxies: the output of the service module."
  type        = string
}

variable "labels" {
  description = "Additional labels of all resources."
  type        = map(string)
  default     = {}
}

variable "port" {
  description = "Port of the service that is split, and the port of its proxies."
  type = object({
    port        = number
    target_port = optional(number) # defaults to port
    name        = optional(string, "http")
    protocol    = optional(string, "http") # http, http2 or grpc
  })

  validation {
    condition     = alltrue([for n in [var.port.port, coalesce(var.port.target_port, var.port.port)] : n >= 1 && n <= 65535 && floor(n) == n])
    error_message = "port.port and port.target_port must be integers from 1 to 65535."
  }
  validation {
    condition     = contains(["http", "http2", "grpc"], var.port.protocol)
    error_message = "port.protocol must be \"http\", \"http2\" or \"grpc\": only requests can be split."
  }
}

variable "versions" {
  description = "Labels that distinguish the Dataplanes of the two versions, in addition to their workload."
  type = object({
    stable = map(string)
    canary = map(string)
  })
  default = {
    stable = { version = "stable" }
    canary = { version = "canary" }
  }

  validation {
    condition     = length(var.versions.stable) > 0 && length(var.versions.canary) > 0 && var.versions.stable != var.versions.canary
    error_message = "versions.stable and versions.canary must both have labels, which must differ."
  }
}

variable "weight" {
  description = "Percentage of the requests that the canary gets: 0 for none, 100 when it is promoted."
  type        = number

  validation {
    condition     = var.weight >= 0 && var.weight <= 100 && floor(var.weight) == var.weight
    error_message = "weight must be an integer from 0 to 100."
  }
}

variable "header" {
  description = "Requests with this header go to the canary regardless of the weight. Null disables the header."
  type = object({
    name  = optional(string, "x-canary")
    value = optional(string, "always")
  })
  default = {}

  validation {
    condition     = can(regex("^[a-z0-9!#$%&'*+.^_|~-]+$", try(var.header.name, "unset")))
    error_message = "header.name must be the name of a header in lowercase."
  }
}

variable "timeouts" {
  description = "Timeouts of the requests that are split. They replace all timeouts of the service: an omitted timeout comes from the policies for all destinations. If null, the timeouts of the service apply."
  type = object({
    request     = optional(string)
    stream_idle = optional(string)
  })
  default = null

  validation {
    condition     = try(length([for v in values(var.timeouts) : v if v != null]) > 0, var.timeouts == null)
    error_message = "timeouts must set request, stream_idle or both, or be null."
  }
  validation {
    condition     = try(alltrue([for v in values(var.timeouts) : can(regex("^([0-9]+(h|m|s|ms))+$", v)) if v != null]), var.timeouts == null)
    error_message = "timeouts.request and timeouts.stream_idle must be durations such as \"500ms\" or \"2s\"; \"0s\" disables the timeout."
  }
}
