# The identifier of a port, to look it up in the result of kuma_effective_rules.
output "checkout" {
  value = provider::kuma::kri({
    kind    = "MeshService"
    mesh    = "shop"
    zone    = "zone-1"
    name    = "checkout"
    section = "http"
  })
}

# The identifiers of the documents in a file, to exclude them with removed.
locals {
  documents = provider::kuma::decode_documents(<<-YAML
    {type: MeshTimeout, mesh: shop, name: old, spec: {}}
    ---
    {type: MeshRetry, mesh: shop, name: old, spec: {}}
  YAML
  )
}

output "removed" {
  value = [for d in local.documents : provider::kuma::kri(d)]
}
