# Every MeshMultiZoneService in the mesh "shop" that a configuration can manage.
list "kuma_mesh_multi_zone_service" "shop" {
  provider         = kuma
  include_resource = true

  config {
    mesh      = "shop"
    unmanaged = true
  }
}
