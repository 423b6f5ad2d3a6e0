# A control plane inside the provider, on a directory of YAML files. To use a
# real one, write endpoint = "https://…:5682" instead of the block.
provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
    zone      = "zone-1"
  }
}
