# Stores the mesh on the control plane, as `kumactl apply -f shop.yaml` would.

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
  embedded {
    directory = "${path.root}/../mesh"
    zone      = "zone-1"
  }
}

locals {
  documents = provider::kuma::decode_documents(file("${path.module}/../shop.yaml"))
}

resource "kuma_manifest" "mesh" {
  manifest = one([for d in local.documents : d if d.type == "Mesh"])
}

resource "kuma_manifest" "resource" {
  for_each = { for d in local.documents : "${d.type}/${d.name}" => d if d.type != "Mesh" }
  manifest = each.value

  depends_on = [kuma_manifest.mesh]
}
