# Every MeshHealthCheck in the mesh "shop" that a configuration can manage.
list "kuma_mesh_health_check" "shop" {
  provider         = kuma
  include_resource = true

  config {
    mesh      = "shop"
    unmanaged = true
  }
}
