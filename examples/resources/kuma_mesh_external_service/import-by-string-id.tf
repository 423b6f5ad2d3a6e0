import {
  to = kuma_mesh_external_service.example
  id = "shop/payments-api"
}
