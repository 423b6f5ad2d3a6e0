import {
  to = kuma_mesh_zone_address.example
  identity = {
    mesh = "shop"
    name = "zone-east"
  }
}
