list "kuma_zone_ingress" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
