import {
  to = kuma_secret.example
  id = "shop/partner-key"
}
