import {
  to = kuma_mesh.example
  id = "shop"
}
