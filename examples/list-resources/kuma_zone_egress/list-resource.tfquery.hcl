# Every ZoneEgress on the control plane that a configuration can manage.
list "kuma_zone_egress" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
