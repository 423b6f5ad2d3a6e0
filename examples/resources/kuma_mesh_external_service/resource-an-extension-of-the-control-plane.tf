# A cloud function that an extension of the control plane calls. The settings
# depend on the extension.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_external_service" "thumbnails" {
  mesh = kuma_mesh.shop.name
  name = "thumbnails"

  spec {
    match {
      port = 80
    }
    extension {
      type = "Lambda"
      config = jsonencode({
        arn     = "arn:aws:lambda:eu-west-1:123456789012:function:thumbnails"
        retries = 2
      })
    }
  }
}
