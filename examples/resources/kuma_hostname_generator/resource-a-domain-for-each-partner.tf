# Services of partner companies get a host name in the domain of the partner, which is the value of a label: payments.acme.partners.shop.internal.

resource "kuma_hostname_generator" "partners" {
  name   = "shop-partners"
  labels = { team = "platform" }

  spec {
    selector {
      mesh_external_service {
        match_labels = { audience = "partners" }
      }
    }
    template = "{{ .DisplayName }}.{{ label \"partner\" }}.partners.shop.internal"
  }
}
