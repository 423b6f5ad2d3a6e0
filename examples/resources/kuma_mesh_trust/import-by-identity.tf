import {
  to = kuma_mesh_trust.example
  identity = {
    mesh = "shop"
    name = "zone-east"
  }
}
