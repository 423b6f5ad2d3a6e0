# The effect of deleting a policy, computed from documents without a control plane.
data "kuma_policy_impact" "without_retries" {
  mesh    = "shop"
  removed = ["kri_mr_shop___payments_"]
  types   = ["MeshRetry"]

  documents = [<<-YAML
    type: Dataplane
    mesh: shop
    name: checkout-1
    networking:
      address: 10.0.0.5
      inbound:
        - port: 8080
          tags: {kuma.io/service: checkout}
    ---
    type: MeshService
    mesh: shop
    name: payments
    spec:
      ports: [{port: 80, name: http}]
    ---
    type: MeshRetry
    mesh: shop
    name: payments
    spec:
      to:
        - targetRef: {kind: MeshService, name: payments}
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
