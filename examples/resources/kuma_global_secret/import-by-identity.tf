import {
  to = kuma_global_secret.example
  identity = {
    name = "license"
  }
}
