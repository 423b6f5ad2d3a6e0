# Problems in the YAML documents of a mesh, found without a control plane. The check
# warns in every plan and apply that finds an error.
data "kuma_mesh_lint" "shop" {
  mesh = "shop"
  documents = [<<-YAML
    type: MeshService
    mesh: shop
    name: payments
    labels: {app: payments}
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: payments}}}
      ports: [{port: 80, name: http}]
    ---
    type: MeshTimeout
    mesh: shop
    name: payments
    spec:
      to:
        - targetRef: {kind: MeshService, labels: {app: payments}}
          default: {http: {requestTimeout: 5s}}
  YAML
  ]
}

check "mesh" {
  assert {
    condition     = data.kuma_mesh_lint.shop.counts["error"] == 0
    error_message = data.kuma_mesh_lint.shop.summary
  }
}
