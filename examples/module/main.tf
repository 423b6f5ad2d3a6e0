# A module of a platform team: how long clients in a mesh wait for a service.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

variable "mesh" {
  description = "Mesh of the service."
  type        = string
}

variable "service" {
  description = "Name of the MeshService."
  type        = string
}

variable "request_timeout" {
  description = "How long a client waits for an answer."
  type        = string
  default     = "15s"
}

variable "impatient" {
  description = "Timeouts of clients that wait for less, by the tag kuma.io/service of the client."
  type        = map(string)
  default     = {}
}

resource "kuma_mesh_timeout" "all" {
  mesh = var.mesh
  name = "${var.service}-timeout"

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = var.service
      }
      default {
        http {
          request_timeout = var.request_timeout
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "impatient" {
  for_each = var.impatient
  mesh     = var.mesh
  name     = "${var.service}-timeout-of-${each.key}"

  spec {
    target_ref {
      kind = "MeshSubset"
      tags = { "kuma.io/service" = each.key }
    }
    to {
      target_ref {
        kind = "MeshService"
        name = var.service
      }
      default {
        http {
          request_timeout = each.value
        }
      }
    }
  }
}

output "policies" {
  description = "The policies of this module, for kuma_effective_rules."
  value       = concat([kuma_mesh_timeout.all], values(kuma_mesh_timeout.impatient))
}
