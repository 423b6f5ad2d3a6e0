module "mesh" {
  source = "github.com/kuma-universal/terraform-provider-kuma//examples/modules/mesh?ref=v0.1.0"

  name = "shop"
}
