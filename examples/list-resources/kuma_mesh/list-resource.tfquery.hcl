# Every Mesh on the control plane that a configuration can manage.
list "kuma_mesh" "all" {
  provider         = kuma
  include_resource = true

  config {
    unmanaged = true
  }
}
