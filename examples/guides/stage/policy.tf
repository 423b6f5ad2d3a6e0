variable "staged" {
  type        = bool
  default     = true
  description = "Whether the timeout is only staged: stored, but not in effect."
}

resource "kuma_mesh_timeout" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = var.staged ? { "kuma.io/effect" = "shadow" } : {}

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    rules {
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
  }
}
