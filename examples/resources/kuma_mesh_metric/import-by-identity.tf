import {
  to = kuma_mesh_metric.example
  identity = {
    mesh = "shop"
    name = "everything"
  }
}
