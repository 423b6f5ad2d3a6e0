resource "kuma_mesh" "shop" {
  name = "shop"
}

# Nobody reaches the payment service but checkout and the nightly batch; an old
# client of the batch namespace is refused, whatever else is allowed, and the
# reporting tools are watched before they are refused as well.
resource "kuma_mesh_traffic_permission" "payment" {
  mesh = kuma_mesh.shop.name
  name = "payment"

  spec {
    target_ref {
      kind         = "Dataplane"
      labels       = { app = "payment" }
      section_name = "http"
    }
    rules {
      default {
        deny {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop/ns/batch/sa/legacy-import"
          }
        }
        allow_with_shadow_deny {
          spiffe_id {
            type  = "Prefix"
            value = "spiffe://shop/ns/reporting"
          }
        }
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop/ns/web/sa/checkout"
          }
        }
        allow {
          spiffe_id {
            type  = "Prefix"
            value = "spiffe://shop/ns/batch"
          }
        }
      }
    }
  }
}
