# A zone without traffic while its data center is moved.

resource "kuma_zone" "west" {
  name   = "west"
  labels = { region = "eu-west-1" }

  enabled = false
}
