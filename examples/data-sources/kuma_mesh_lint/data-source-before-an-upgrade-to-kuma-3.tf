# Changes required before Kuma 3.0, the most dangerous first. The plan fails if a
# policy would select more proxies, or if a protection would end.
data "kuma_mesh_lint" "kuma3" {
  mesh  = "shop"
  kuma3 = true
  documents = [<<-YAML
    type: Mesh
    name: shop
    meshServices: {mode: Exclusive}
    ---
    type: MeshTimeout
    mesh: shop
    name: checkout
    spec:
      targetRef: {kind: Dataplane, labels: {app: checkout}}
      to:
        - targetRef: {kind: MeshService, name: payments}
          default: {http: {requestTimeout: 5s}}
    ---
    type: Dataplane
    mesh: shop
    name: checkout-1
    labels: {app: checkout}
    networking:
      address: 10.0.0.1
      inbound: [{name: http, port: 8080, protocol: http}]
    ---
    type: MeshService
    mesh: shop
    name: payments
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: payments}}}
      ports: [{port: 80, name: http}]
  YAML
  ]
}

output "before_kuma_3" {
  value = data.kuma_mesh_lint.kuma3.summary

  precondition {
    condition = length(setintersection(
      [
        # policies that apply to more proxies
        "K3-006", "K3-007", "K3-008", "K3-064",
        # weaker security
        "K3-032", "K3-071", "K3-075", "K3-081", "K3-226", "K3-232",
      ],
      keys(data.kuma_mesh_lint.kuma3.counts_per_code),
    )) == 0
    error_message = data.kuma_mesh_lint.kuma3.summary
  }
}
