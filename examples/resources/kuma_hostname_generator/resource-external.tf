# Services of partner companies get a host name below the domain of the partner,
# which a label holds: payments.acme.partners.shop.internal.

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
