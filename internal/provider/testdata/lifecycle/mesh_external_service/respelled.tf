resource "kuma_mesh_external_service" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "payments-api"

  spec {
    match {
      port     = 443
      protocol = "tcp"
    }
    extension {
      type   = "Lambda"
      config = <<-EOT
        {
          "nested": {"none": null, "sizes": [1.0, 25e-1]},
          "arn": "a"
        }
      EOT
    }
    tls {
      version {
        min = "TLS12"
      }
      verification {}
    }
  }
}
