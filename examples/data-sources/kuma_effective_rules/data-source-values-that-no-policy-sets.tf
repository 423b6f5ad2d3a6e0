# What a proxy does where no policy sets a value, and a check that the request
# timeout for the payments service is not left to the control plane.
data "kuma_effective_rules" "checkout" {
  dataplane = "checkout-1"
  defaults  = true
  documents = [<<-YAML
    type: Dataplane
    name: checkout-1
    labels: {app: checkout}
    networking:
      address: 10.0.0.5
      inbound: [{port: 8080, protocol: http}]
      outbound:
        - port: 9001
          backendRef: {kind: MeshService, labels: {app: payments}, port: 80}
    ---
    type: MeshService
    name: payments
    labels: {app: payments}
    spec:
      ports: [{port: 80, appProtocol: http}]
    ---
    type: MeshTimeout
    name: payments
    spec:
      to:
        - targetRef: {kind: MeshService, labels: {app: payments}}
          default: {http: {requestTimeout: 5s}}
  YAML
  ]
}

output "defaults" {
  value = {
    for d in data.kuma_effective_rules.checkout.default_settings :
    coalesce(d.kri, d.port) => "${d.type} ${d.path} = ${d.value}"...
  }
}

check "request_timeout_is_set" {
  assert {
    condition = !contains([
      for d in data.kuma_effective_rules.checkout.default_settings : d.path
      if d.kri == "kri_msvc_default___payments_80"
    ], "http.requestTimeout")
    error_message = "Set the request timeout for payments in a MeshTimeout."
  }
}
