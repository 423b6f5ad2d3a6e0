import {
  to = kuma_mesh_metric.example
  id = "shop/everything"
}
