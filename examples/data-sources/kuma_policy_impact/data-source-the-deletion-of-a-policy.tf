# The effect of deleting a policy, computed from documents without a control plane.
data "kuma_policy_impact" "without_retries" {
  mesh    = "shop"
  removed = ["kri_mr_shop___payments_"]
  types   = ["MeshRetry"]

  documents = [<<-YAML
    type: Dataplane
    mesh: shop
    name: checkout-1
    labels: {app: checkout}
    networking:
      address: 10.0.0.5
      inbound: [{port: 8080, protocol: http}]
    ---
    type: MeshService
    mesh: shop
    name: payments
    labels: {app: payments}
    spec:
      ports: [{port: 80, name: http}]
    ---
    type: MeshRetry
    mesh: shop
    name: payments
    spec:
      to:
        - targetRef: {kind: MeshService, labels: {app: payments}}
          default: {http: {numRetries: 3}}
  YAML
  ]
}

output "lost" {
  value = [
    for c in data.kuma_policy_impact.without_retries.changes :
    "${c.path} of ${c.destination} on ${join(", ", c.dataplanes)}, which was ${c.before}"
    if c.after == null
  ]
}
