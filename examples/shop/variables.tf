variable "checkout_timeout" {
  description = "How long clients of checkout wait for an answer."
  type        = string
  default     = "2s"
  nullable    = false

  validation {
    condition     = can(regex("^([0-9]+(h|m|s|ms))+$", var.checkout_timeout))
    error_message = "checkout_timeout must be a duration such as \"500ms\" or \"2s\"."
  }
}
