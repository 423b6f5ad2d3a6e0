# All documents of a directory, with one document per file.

resource "kuma_manifest" "policies" {
  for_each = fileset(path.module, "policies/*.yaml")
  manifest = yamldecode(file("${path.module}/${each.key}"))
}
