resource "kuma_hostname_generator" "test" {
  name = "lifecycle"

  spec {
    selector {
      mesh_service {
        match_labels = {}
      }
    }
    template = "{{ .DisplayName }}.svc.{{ .Zone }}.shop.local"
  }
}
