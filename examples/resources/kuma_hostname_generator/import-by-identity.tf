import {
  to = kuma_hostname_generator.example
  identity = {
    name = "shop-services"
  }
}
