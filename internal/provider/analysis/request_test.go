package analysis_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
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

// TestRequestClients checks that a request that no rule matches is answered as the requested release
// does, and clients that are not a Dataplane of the mesh.
func TestRequestClients(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t)
	for arguments, want := range map[string][]any{
		"path = \"/reports\"\n  dataplane = \"web-1\"\n  kuma_version = \"3.0\"":                                                    {"no_route", []any{}},
		"path = \"/reports\"\n  dataplane = \"web-1\"\n  kuma_version = \"2.14\"":                                                   {"allowed", []any{}},
		"path = \"/orders\"\n  proxy = { name = \"cart-1\", networking = { address = \"10.0.0.9\", inbound = [{ port = 8080 }] } }": {"unreachable", []any{}},
		"path = \"/orders\"\n  client_service = \"backend\"":                                                                        {"unreachable", []any{[]any{"backend-1"}}},
		"path = \"/orders\"\n  spiffe_id = \"spiffe://shop/web\"":                                                                   {"allowed", []any{}, "the proxy of the client: its outbounds, routes, timeouts and retries"},
	} {
		got := providertest.PlannedOutputs(t, providertest.RequiredProvider+cp.Config+called+`data "kuma_request" "test" {
  documents = local.called
  service   = "backend"
  port      = 80
  `+arguments+`
}
locals { test = data.kuma_request.test }
output "answer" { value = concat([local.test.verdict, local.test.clients[*].dataplanes], [for n in local.test.not_considered : n if local.test.spiffe_id != null && local.test.route == null]) }
`)
		testworld.Equal(t, arguments, any(want), got["answer"])
	}
}

// TestRequestHost checks requests for an address, as the data source and as the function.
func TestRequestHost(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+called+`data "kuma_request" "test" {
  documents = local.called
  dataplane = "web-1"
  host      = "127.0.0.1"
  port      = 10001
  path      = "/orders"
}
locals {
  function = provider::kuma::request(local.called, { dataplane = "web-1", host = "127.0.0.1", port = 10001, path = "/orders" })
}
output "service" { value = data.kuma_request.test.backends[0].kri }
output "same" { value = local.function.explanation == data.kuma_request.test.explanation }
`)
	testworld.Equal(t, "outputs", map[string]any{"service": "kri_msvc_default___backend_80", "same": true}, got)
}

// TestRequestByTags checks requests in a mesh of Kuma 2.x without MeshServices.
func TestRequestByTags(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const tagged = `
locals {
  tagged = [<<-YAML
    {type: Dataplane, name: backend-1, networking: {address: 10.0.0.6, inbound: [{port: 8080, tags: {kuma.io/service: backend, kuma.io/protocol: http, version: v1}}]}}
    ---
    {type: Dataplane, name: backend-2, networking: {address: 10.0.0.7, inbound: [{port: 8080, tags: {kuma.io/service: backend, kuma.io/protocol: http, version: v2}}]}}
    ---
    {type: Dataplane, name: web-1, networking: {address: 10.0.0.5, inbound: [{port: 8080, tags: {kuma.io/service: web, kuma.io/protocol: http}}], outbound: [{port: 11000, tags: {kuma.io/service: backend}}]}}
    ---
    {type: MeshHTTPRoute, name: canary, spec: {to: [{targetRef: {kind: MeshService, name: backend}, rules: [{matches: [{path: {type: PathPrefix, value: /}}],
      default: {backendRefs: [{kind: MeshServiceSubset, name: backend, tags: {version: v1}, weight: 90}, {kind: MeshServiceSubset, name: backend, tags: {version: v2}, weight: 10}]}}]}]}}
  YAML
  ]
}
`
	for _, to := range []string{`service = "backend"`, "host = \"127.0.0.1\"\n  port = 11000"} {
		got := providertest.PlannedOutputs(t, providertest.RequiredProvider+tagged+`data "kuma_request" "test" {
  documents = local.tagged
  dataplane = "web-1"
  `+to+`
}
output "percent" { value = { for b in data.kuma_request.test.backends : b.tags["version"] => b.percent } }
output "backends" { value = join(", ", [for b in data.kuma_request.test.backends : "${b.name} ${b.verdict} ${b.proxies[0].dataplane}${b.kri}"]) }
`)
		want := map[string]any{
			"percent":  map[string]any{"v1": 90.0, "v2": 10.0},
			"backends": "backend (version=v1) allowed backend-1, backend (version=v2) allowed backend-2",
		}
		testworld.Equal(t, to, want, got)
	}
}

// TestRequestsOfList sets arguments from a list, whose elements are unknown while Terraform
// validates the configuration.
func TestRequestsOfList(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+called+`locals {
  requests = [
    { dataplane = "web-1", service = "backend", port = 80 },
    { proxy = { name = "cart-1", networking = { address = "10.0.0.9", inbound = [{ port = 8080 }] } }, host = "127.0.0.1" },
  ]
}
data "kuma_request" "test" {
  count     = 2
  documents = local.called
  dataplane = try(local.requests[count.index].dataplane, null)
  proxy     = count.index == 1 ? local.requests[1].proxy : null
  service   = try(local.requests[count.index].service, null)
  host      = try(local.requests[count.index].host, null)
  port      = try(local.requests[count.index].port, null)
  path      = "/orders"
}
data "kuma_effective_rules" "test" {
  count     = 2
  documents = local.called
  dataplane = try(local.requests[count.index].dataplane, null)
  proxy     = count.index == 1 ? local.requests[1].proxy : null
}
output "verdicts" { value = join(" ", data.kuma_request.test[*].verdict) }
`)
	testworld.Equal(t, "outputs", map[string]any{"verdicts": "allowed passthrough"}, got)
}

func TestRequestMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	dataSource := called + "data \"kuma_request\" \"test\" {\n  documents = local.called\n  %s\n}\n"
	toBackend := strings.Replace(dataSource, "%s", "service = \"backend\"\n  %s", 1)
	ofWeb := strings.Replace(toBackend, "%s", "dataplane = \"web-1\"\n  %s", 1)
	providertest.CheckMistakes(t, dataSource, map[string]providertest.Mistake{
		"unknown service": {"dataplane = \"web-1\"\n  service = \"backends\"", `Service not found .* service = "backends" .* Unknown service "backends"; services of the mesh: backend\. Did you mean "backend"\?`},
		"no destination":  {`dataplane = "web-1"`, `Missing service or host`},
	})
	providertest.CheckMistakes(t, toBackend, map[string]providertest.Mistake{
		"unknown dataplane":       {`dataplane = "web-2"`, `Dataplane not found .* dataplane = "web-2" .* Dataplanes of the mesh: backend-1 and web-1\.`},
		"no client":               {``, `Missing client .* client_service to a service, spiffe_id`},
		"service without proxies": {`client_service = "cart"`, `Client not found .* client_service = "cart" .* provides service "cart"`},
		"no SPIFFE ID":            {`spiffe_id = "shop/web"`, `Invalid SPIFFE ID .* spiffe_id = "shop/web" .* scheme`},
	})
	providertest.CheckMistakes(t, ofWeb, map[string]providertest.Mistake{
		"lowercase method":  {`method = "get"`, `Invalid method .* method = "get" .* methods are case-sensitive, use "GET"\.`},
		"two clients":       {`spiffe_id = "spiffe://shop/web"`, `Conflicting arguments .* spiffe_id = .* spiffe_id conflicts with dataplane`},
		"service and host":  {`host = "backend.svc.mesh.local"`, `Conflicting arguments .* host = .* host conflicts with service`},
		"several ports":     {``, `Ambiguous service .* kri_msvc_default___backend_80, .* Set port`},
		"unknown port":      {`port = 8080`, `Port not found .* port = 8080 .* Unknown port 8080 of backend; its ports: 80`},
		"path with a query": {"port = 80\n  path = \"/orders?id=1\"", `Invalid path .* path = "/orders\?id=1" .* query`},
	})
}
