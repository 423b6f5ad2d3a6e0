resource "kuma_hostname_generator" "test" {
  name = "lifecycle"

  spec {
    selector {
      mesh_service {
        match_labels = {}
      }
    }
    template = "{{ .DisplayName }}.svc.{{ .Zone }}.shop.local"
    extension {
      type   = "Custom"
      config = "{\"a\":1,\"b\":[true]}" # respelled: "{\"b\": [true], \"a\": 1}"
    }
  }
}
