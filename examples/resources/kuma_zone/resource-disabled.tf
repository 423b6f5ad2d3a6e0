# A zone that gets no traffic while its data centre moves.
resource "kuma_zone" "west" {
  name   = "west"
  labels = { region = "eu-west-1" }

  enabled = false
}
