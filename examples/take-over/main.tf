# The configuration of a mesh that exists already, to take it over.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

# A control plane inside the provider, on a directory of YAML files. To use a
# real one, write endpoint = "https://…:5682" instead of the block.
provider "kuma" {
  policy_checks = "warning"

  embedded {
    directory = "${path.root}/mesh"
    zone      = "zone-1"
  }
}
