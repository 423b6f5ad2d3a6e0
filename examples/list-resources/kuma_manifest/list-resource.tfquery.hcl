# Every MeshTimeout in the mesh "shop", as manifests.
list "kuma_manifest" "timeouts" {
  provider         = kuma
  include_resource = true

  config {
    type      = "MeshTimeout"
    mesh      = "shop"
    unmanaged = true
  }
}
