resource "kuma_zone" "test" {
  name    = "east"
  labels  = { region = "eu" }
  enabled = false
}
