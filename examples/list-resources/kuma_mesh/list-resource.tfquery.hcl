list "kuma_mesh" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
