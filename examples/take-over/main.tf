# The configuration of an existing mesh, to import it.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

# A control plane inside the provider, which stores its resources as YAML files. To use a
# real one, replace the embedded block with endpoint = "https://kuma.example.com:5682".
provider "kuma" {
  policy_checks = "warning"

  embedded {
    directory = "${path.root}/mesh"
    zone      = "zone-1"
  }
}
