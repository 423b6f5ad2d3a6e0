import {
  to = kuma_manifest.example
  identity = {
    type = "MeshTimeout"
    mesh = "shop"
    name = "checkout"
  }
}
