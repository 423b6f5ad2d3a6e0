import {
  to = kuma_workload.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
