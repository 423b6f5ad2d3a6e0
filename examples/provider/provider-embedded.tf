# A control plane inside the provider, which stores its resources as YAML files.
provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
  }
}
