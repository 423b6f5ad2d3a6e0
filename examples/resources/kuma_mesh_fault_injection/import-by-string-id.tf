import {
  to = kuma_mesh_fault_injection.example
  id = "shop/checkout"
}
