resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_trace" "example" {
  mesh = kuma_mesh.shop.name
  name = "everything"

  spec {
    default {
      backends {
        type = "Zipkin"
        zipkin {
          url = "http://zipkin.shop.example.com:9411/api/v2/spans"
        }
      }
    }
  }
}
