data "kuma_hostname_generator" "example" {
  name = "shop-services"
}
