# The effective rules of a proxy, computed from documents without a control plane.
data "kuma_effective_rules" "checkout" {
  dataplane = "checkout-1"
  documents = [<<-YAML
    type: Dataplane
    name: checkout-1
    labels: {app: checkout}
    networking:
      address: 10.0.0.5
      inbound: [{port: 8080, protocol: http}]
    ---
    type: MeshService
    name: payments
    labels: {app: payments}
    spec:
      ports: [{port: 80, name: http}]
    ---
    type: MeshTimeout
    name: payments
    spec:
      to:
        - targetRef: {kind: MeshService, labels: {app: payments}}
          default: {http: {requestTimeout: 5s}}
  YAML
  ]
  include = ["explain"]
}

output "payments" {
  value = data.kuma_effective_rules.checkout.conf["MeshTimeout"]["kri_msvc_default___payments_"]
}

# Which policy sets each value, and which policies it overrides.
output "why" {
  value = [
    for e in data.kuma_effective_rules.checkout.explain : {
      path      = e.path
      value     = e.value
      set_by    = e.set_by.name
      overrides = e.overridden[*].set_by.name
    }
  ]
}
