data "kuma_zone_ingress" "example" {
  name = "ingress-1"
}
