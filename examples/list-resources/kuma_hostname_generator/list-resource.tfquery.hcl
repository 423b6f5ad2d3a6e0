list "kuma_hostname_generator" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
