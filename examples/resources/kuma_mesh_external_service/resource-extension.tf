resource "kuma_mesh" "shop" {
  name = "shop"
}

# A function in the cloud, which an extension of the control plane calls. The
# settings are whatever the extension understands.
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
