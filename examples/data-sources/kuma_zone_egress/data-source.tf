data "kuma_zone_egress" "example" {
  name = "egress-1"
}
