# Puts the mesh on the control plane, as `kumactl apply -f shop.yaml` would.

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
  policy_checks = "warning" # it has policies of an older style

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
