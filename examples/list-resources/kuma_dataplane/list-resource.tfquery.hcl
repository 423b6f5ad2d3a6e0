# Every Dataplane in the mesh "shop" that a configuration can manage.
list "kuma_dataplane" "shop" {
  provider         = kuma
  include_resource = true

  config {
    mesh      = "shop"
    unmanaged = true
  }
}
