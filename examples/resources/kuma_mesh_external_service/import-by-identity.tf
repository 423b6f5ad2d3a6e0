import {
  to = kuma_mesh_external_service.example
  identity = {
    mesh = "shop"
    name = "payments-api"
  }
}
