# Every GlobalSecret on the control plane that a configuration can manage.
list "kuma_global_secret" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
