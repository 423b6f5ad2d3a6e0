import {
  to = kuma_workload.example
  id = "shop/checkout"
}
