# Every MeshLoadBalancingStrategy in the mesh "shop" that a configuration can manage.
list "kuma_mesh_load_balancing_strategy" "shop" {
  provider         = kuma
  include_resource = true

  config {
    mesh      = "shop"
    unmanaged = true
  }
}
