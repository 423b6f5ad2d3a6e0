package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// called is a service with a route, and the proxy of a client.
const called = `
locals {
  called = [<<-YAML
    {type: MeshService, name: backend, labels: {app: backend}, spec: {selector: {dataplaneLabels: {matchLabels: {app: backend}}},
      ports: [{port: 80, targetPort: 8080, appProtocol: http}, {port: 81, targetPort: 8080, appProtocol: tcp}]}}
    ---
    {type: Dataplane, name: backend-1, labels: {app: backend}, networking: {address: 10.0.0.6, inbound: [{port: 8080, protocol: http}]}}
    ---
    {type: Dataplane, name: web-1, labels: {app: web}, networking: {address: 10.0.0.5, inbound: [{port: 8080, protocol: http}],
      outbound: [{port: 10001, backendRef: {kind: MeshService, labels: {app: backend}, port: 80}}, {port: 10002, backendRef: {kind: MeshService, labels: {app: backend}, port: 81}}]}}
    ---
    {type: MeshHTTPRoute, name: orders, spec: {to: [{targetRef: {kind: MeshService, labels: {app: backend}}, rules: [{matches: [{path: {type: PathPrefix, value: /orders}}], default: {}}]}]}}
  YAML
  ]
}
`

// TestRequestOfReleases checks that a request that no rule matches is answered as the
// requested release does.
func TestRequestOfReleases(t *testing.T) {
	needCLI(t)
	cp := newTestControlPlane(t)
	request := func(version string) string {
		return cp.config + called + `data "kuma_request" "test" {
  documents    = local.called
  dataplane    = "web-1"
  service      = "backend"
  port         = 80
  path         = "/reports"
  kuma_version = "` + version + `"
}`
	}
	verdict := func(want string) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectKnownValue("data.kuma_request.test", tfjsonpath.New("verdict"), knownvalue.StringExact(want))}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: request("3.0"), ConfigStateChecks: verdict("no_route")},
			{Config: request("2.14"), ConfigStateChecks: verdict("allowed")},
		},
	})
}

func TestRequestMistakes(t *testing.T) {
	needCLI(t)
	checkMistakes(t, called+`data "kuma_request" "test" {
  documents = local.called
  %s
}`, map[string]mistake{
		"unknown dataplane": {
			`
  dataplane = "web-2"
  service   = "backend"`,
			`Dataplane not found .* dataplane = "web-2" .* Dataplanes of the mesh: backend-1 and web-1\.`,
		},
		"unknown service": {
			`
  dataplane = "web-1"
  service   = "backends"`,
			`Service not found .* service   = "backends" .* no service "backends", neither stored nor planned`,
		},
		"several ports": {
			`
  dataplane = "web-1"
  service   = "backend"`,
			`Ambiguous service .* kri_msvc_default___backend_80, .* Set port`,
		},
		"unknown port": {
			`
  dataplane = "web-1"
  service   = "backend"
  port      = 8080`,
			`Port not found .* port      = 8080`,
		},
		"path with a query": {
			`
  dataplane = "web-1"
  service   = "backend"
  port      = 80
  path      = "/orders?id=1"`,
			`Invalid path .* path      = "/orders\?id=1" .* query`,
		},
	})
}
