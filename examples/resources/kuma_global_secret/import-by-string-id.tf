import {
  to = kuma_global_secret.example
  id = "license"
}
