resource "kuma_hostname_generator" "example" {
  name = "shop-services"

  spec {
    selector {
      mesh_service {}
    }
    template = "{{ .DisplayName }}.svc.shop.internal"
  }
}
