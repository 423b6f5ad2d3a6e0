# Every Workload in the mesh "shop" that a configuration can manage.
list "kuma_workload" "shop" {
  provider         = kuma
  include_resource = true

  config {
    mesh      = "shop"
    unmanaged = true
  }
}
