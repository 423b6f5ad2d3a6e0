# A control plane inside the provider, which stores its resources as YAML files. To use a
# real one, replace the embedded block with endpoint = "https://kuma.example.com:5682".
provider "kuma" {
  embedded {
    directory    = "${path.root}/mesh"
    zone         = "zone-1"
    kuma_version = var.kuma_version
  }
}
