list "kuma_zone_egress" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
