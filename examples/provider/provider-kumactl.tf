# The endpoint, token and certificates of a kumactl context.
provider "kuma" {
  context = "shop"
}
