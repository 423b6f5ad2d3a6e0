data "kuma_zone" "example" {
  name = "east"
}
