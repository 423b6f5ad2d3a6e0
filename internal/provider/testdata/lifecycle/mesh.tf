resource "kuma_mesh" "lifecycle" {
  name                           = "lifecycle"
  skip_creating_initial_policies = ["*"]
}
