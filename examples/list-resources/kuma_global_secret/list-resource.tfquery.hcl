list "kuma_global_secret" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
