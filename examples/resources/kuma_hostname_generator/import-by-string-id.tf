import {
  to = kuma_hostname_generator.example
  id = "shop-services"
}
