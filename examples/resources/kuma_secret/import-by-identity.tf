import {
  to = kuma_secret.example
  identity = {
    mesh = "shop"
    name = "partner-key"
  }
}
