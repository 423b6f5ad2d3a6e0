import {
  to = kuma_zone.example
  identity = {
    name = "east"
  }
}
