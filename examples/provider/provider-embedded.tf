# No server: a control plane inside the provider, on a directory of YAML files.
provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
  }
}
