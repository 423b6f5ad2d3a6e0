resource "kuma_zone" "example" {
  name = "east"
}
