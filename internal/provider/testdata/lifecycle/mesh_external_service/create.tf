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
      config = "{\"arn\":\"a\",\"nested\":{\"sizes\":[1,2.5],\"none\":null}}"
    }
    tls {
      version {
        min = "TLS12"
      }
      verification {}
    }
  }
}
