# Only checkout and the nightly batch can reach the payment service. An old
# import client is denied, and the reporting tools are allowed but logged as if
# they were denied.

resource "kuma_mesh" "shop" {
  name = "shop"
}

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
            value = "spiffe://shop.default.mesh.local/workload/legacy-import"
          }
        }
        allow_with_shadow_deny {
          spiffe_id {
            type  = "Prefix"
            value = "spiffe://shop.default.mesh.local/workload/reporting"
          }
        }
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.default.mesh.local/workload/checkout"
          }
        }
        allow {
          spiffe_id {
            type  = "Prefix"
            value = "spiffe://shop.default.mesh.local/workload/batch"
          }
        }
      }
    }
  }
}
