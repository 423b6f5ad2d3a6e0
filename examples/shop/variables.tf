variable "kuma_version" {
  description = "Release of the control plane: `2.14` or `3.0`."
  type        = string
  default     = "3.0"
  nullable    = false
}

variable "checkout_timeout" {
  description = "Request timeout of the clients of checkout."
  type        = string
  default     = "2s"
  nullable    = false

  validation {
    condition     = can(regex("^([0-9]+(h|m|s|ms))+$", var.checkout_timeout))
    error_message = "checkout_timeout must be a duration such as \"500ms\" or \"2s\"."
  }
}

variable "canary_weight" {
  description = "Percentage of the requests that the next version of checkout gets; 100 promotes it."
  type        = number
  default     = 10
  nullable    = false

  validation {
    condition     = var.canary_weight >= 0 && var.canary_weight <= 100
    error_message = "canary_weight must be a percentage from 0 to 100."
  }
}
