# The configuration of a whole mesh as files to commit, one for each kind, and imports.tf:
#
#     terraform apply
#     terraform output -json files | jq -r 'to_entries[] | @sh "printf %s \(.value) > \(.key)"' | sh
data "kuma_resources" "files" {
  mesh      = "shop"
  unmanaged = true
  include   = ["files"]
}

output "files" {
  value = data.kuma_resources.files.files
}
