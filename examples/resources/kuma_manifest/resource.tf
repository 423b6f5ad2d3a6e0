resource "kuma_mesh" "shop" {
  name = "shop"
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
            name: checkout
          default:
            http:
              requestTimeout: 5s
  YAML
  )
}
