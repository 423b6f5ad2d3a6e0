import {
  to = kuma_mesh.example
  identity = {
    name = "shop"
  }
}
