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
      config = "{\"arn\":\"a\",\"nested\":{\"sizes\":[1,2.5],\"none\":null}}" # respelled: "{\n  \"nested\": {\"none\": null, \"sizes\": [1.0, 25e-1]},\n  \"arn\": \"a\"\n}\n"
    }
    tls {
      version {
        min = "TLS12"
      }
      verification {}
    }
  }
}
