# What an application reaches by host name: a service of the mesh, and a host
# outside the mesh, which must be on the list of the MeshPassthrough.
locals {
  documents = [<<-YAML
    type: Dataplane
    name: web-1
    networking:
      address: 10.0.0.5
      inbound: [{port: 8080, protocol: http}]
      transparentProxying:
        redirectPortInbound: 15006
        redirectPortOutbound: 15001
        reachableBackends:
          refs: [{kind: MeshService, labels: {app: backend}}]
    ---
    type: Dataplane
    name: backend-1
    labels: {app: backend}
    networking:
      address: 10.0.0.6
      inbound: [{port: 8080, protocol: http}]
    ---
    type: MeshService
    name: backend
    labels: {app: backend}
    spec:
      selector: {dataplaneLabels: {matchLabels: {app: backend}}}
      ports: [{port: 80, targetPort: 8080, appProtocol: http}]
    ---
    type: HostnameGenerator
    name: shop
    spec:
      selector: {meshService: {matchLabels: {app: backend}}}
      template: "{{ .DisplayName }}.shop.local"
    ---
    type: MeshPassthrough
    name: payments
    spec:
      default:
        passthroughMode: Matched
        appendMatch:
          - {type: Domain, value: api.payments.example, port: 443, protocol: tls}
  YAML
  ]
  hosts = {
    "backend.shop.local"   = { port = 80, verdict = "allowed" }
    "api.payments.example" = { port = 443, verdict = "passthrough" }
    "www.example.com"      = { port = 443, verdict = "unreachable" }
  }
}

data "kuma_request" "host" {
  for_each  = local.hosts
  dataplane = "web-1"
  host      = each.key
  port      = each.value.port
  documents = local.documents
}

check "web_reaches_what_it_needs" {
  assert {
    condition = alltrue([
      for h, want in local.hosts : data.kuma_request.host[h].verdict == want.verdict
    ])
    error_message = join("\n", [for r in data.kuma_request.host : r.explanation])
  }
}
