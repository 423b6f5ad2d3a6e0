import {
  to = kuma_zone.example
  id = "east"
}
