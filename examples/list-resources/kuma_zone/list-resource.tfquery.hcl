list "kuma_zone" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
