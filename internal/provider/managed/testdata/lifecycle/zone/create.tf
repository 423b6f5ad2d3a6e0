resource "kuma_zone" "test" {
  name = "east"

  enabled = true
}
