resource "kuma_secret" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "certificate"
  labels = { team = "edge" }

  data = "changed"
}
