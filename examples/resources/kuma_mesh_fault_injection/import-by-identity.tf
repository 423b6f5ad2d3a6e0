import {
  to = kuma_mesh_fault_injection.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
