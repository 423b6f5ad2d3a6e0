import {
  to = kuma_mesh_trust.example
  id = "shop/zone-east"
}
