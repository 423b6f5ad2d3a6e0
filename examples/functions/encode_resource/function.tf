# The YAML of a mesh as resource blocks. To get them: terraform output -raw blocks
output "blocks" {
  value = join("\n", [
    for document in provider::kuma::decode_documents(<<-YAML
      type: Mesh
      name: shop
      ---
      type: MeshTimeout
      mesh: shop
      name: checkout
      spec:
        to:
          - targetRef: {kind: MeshService, labels: {app: checkout}}
            default: {http: {requestTimeout: 3s}}
    YAML
    ) : provider::kuma::encode_resource(document)
  ])
}
