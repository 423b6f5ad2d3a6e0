import {
  to = kuma_mesh_zone_address.example
  id = "shop/zone-east"
}
