package providertest

import (
	"fmt"
)

// AllConfiguration requests the configuration of all resources.
const AllConfiguration = `
data "kuma_resources" "all" {
  global    = true
  unmanaged = true
  include   = ["configuration"]
}
output "configuration" {
  value = data.kuma_resources.all.configuration
}
`

// CheckoutProxy is the mesh of the examples of analyses.
const CheckoutProxy = `
resource "kuma_mesh" "shop" {
  name = "shop"
  mesh_services {
    mode = "Exclusive"
  }
}
resource "kuma_dataplane" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-1"
  labels = { app = "checkout" }
  networking {
    address = "10.0.0.5"
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}
resource "kuma_mesh_service" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = { app = "checkout" }
  spec {
    selector {
      dataplane_labels {
        match_labels = { app = "checkout" }
      }
    }
    ports {
      port        = 8080
      target_port = 8080
    }
  }
}`

// RequiredProvider names the source of the provider.
const RequiredProvider = `
terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}
`

// EmbeddedConfig is a configuration with an embedded control plane of a release.
func EmbeddedConfig(release string) string {
	return RequiredProvider +
		fmt.Sprintf("provider \"kuma\" {\n  embedded {\n    directory    = \"${path.root}/mesh\"\n    kuma_version = %q\n  }\n}\n", release)
}

// SharedMesh is a mesh named shop.
const SharedMesh = `
resource "kuma_mesh" "shop" {
  name = "shop"
}
`
