# Every MeshProxyPatch in the mesh "shop" that a configuration can manage.
list "kuma_mesh_proxy_patch" "shop" {
  provider         = kuma
  include_resource = true

  config {
    mesh      = "shop"
    unmanaged = true
  }
}
