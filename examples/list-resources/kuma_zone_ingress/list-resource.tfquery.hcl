# Every ZoneIngress on the control plane that a configuration can manage.
list "kuma_zone_ingress" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
