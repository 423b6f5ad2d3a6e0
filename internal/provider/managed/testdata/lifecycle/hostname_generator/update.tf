resource "kuma_hostname_generator" "test" {
  name   = "lifecycle"
  labels = { team = "platform" }

  spec {
    selector {
      mesh_external_service {
        match_labels = { app = "api" }
      }
    }
    template = "{{ .Name }}.{{ label \"env\" }}.extsvc.shop.local"
  }
}
