resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_manifest" "example" {
  manifest = yamldecode(<<-YAML
    type: MeshTimeout
    mesh: ${kuma_mesh.shop.name}
    name: checkout
    spec:
      to:
        - targetRef:
            kind: MeshService
            labels: {app: checkout}
          default:
            http:
              requestTimeout: 5s
  YAML
  )
}
