resource "kuma_mesh" "test" {
  name                           = "shop"
  labels                         = { owner = "network" }
  skip_creating_initial_policies = ["*"]

  mesh_services {
    mode = "Exclusive"
  }
  networking {
    outbound {
      passthrough = false
    }
  }
  routing {
    locality_aware_load_balancing = true
  }
}
