# The documents of a directory as one configuration that imports the stored
# resources: terraform output -raw configuration > mesh.tf
output "configuration" {
  value = provider::kuma::encode_resources(flatten([
    for name in fileset(path.module, "kuma/*.yaml") :
    provider::kuma::decode_documents(file("${path.module}/${name}"))
  ]), { import = true })
}
