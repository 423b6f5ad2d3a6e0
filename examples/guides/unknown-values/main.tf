terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}

provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
    zone      = "zone-1"
  }
}

locals {
  machines = 1
  limit    = "5s"

  labels = { team = "shop" } # of all resources of this configuration
}

# Represents machines, whose addresses are known only after they have been created.
resource "terraform_data" "machine" {
  count = local.machines
  input = "10.0.0.${count.index + 1}"
}

resource "kuma_mesh" "shop" {
  name   = "shop"
  labels = local.labels

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_dataplane" "web" {
  count  = local.machines
  mesh   = kuma_mesh.shop.name
  name   = "web-${count.index + 1}"
  labels = local.labels

  networking {
    address = terraform_data.machine[count.index].output
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}

resource "kuma_mesh_timeout" "limit" {
  mesh   = kuma_mesh.shop.name
  name   = "limit"
  labels = local.labels

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          request_timeout = local.limit
        }
      }
    }
  }
}
