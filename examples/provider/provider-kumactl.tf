# The control plane, token and certificates of a context of kumactl.
provider "kuma" {
  context = "shop"
}
