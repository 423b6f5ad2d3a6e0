# A control plane inside the provider, on a directory of YAML files. No server is needed.
provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
  }
}
