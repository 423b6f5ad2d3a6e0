import {
  to = kuma_manifest.example
  id = "MeshTimeout/shop/checkout"
}
