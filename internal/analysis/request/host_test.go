package request_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// transparent is a client with a transparent proxy that reaches api, whose host name is
// generated as that of db is.
const transparent = `
---
{type: MeshService, mesh: m, name: api, labels: {app: api, kuma.io/origin: zone}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: db, labels: {app: db, kuma.io/origin: zone}, spec: {selector: {dataplaneLabels: {matchLabels: {app: db}}}, ports: [{port: 80, name: main, targetPort: 9000, appProtocol: http}]}}
---
{type: Dataplane, mesh: m, name: app, networking: {address: 10.0.0.9, inbound: [{port: 9000}],
  transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {refs: [{kind: MeshService, labels: {app: api}}]}}}}
`

// passthrough returns a MeshPassthrough.
func passthrough(conf string) string {
	return policy("MeshPassthrough", "pass", "default: {"+conf+"}")
}

// TestHosts checks requests for host names and addresses. TestHosts of package proxies
// compares them with what proxies do.
func TestHosts(t *testing.T) {
	t.Parallel()
	other := request.Service{Host: "other.example", Port: 443}
	generator := "\n---\n{type: HostnameGenerator, name: g, spec: {selector: {meshService: {matchLabels: {app: api}}}, template: '{{ .DisplayName }}.{{ .Mesh }}.{{ label \"app\" }}'}}"
	const unlabeled = "\n---\n{type: MeshService, mesh: m, name: bare, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}" +
		"\n---\n{type: MeshMultiZoneService, mesh: m, name: multi, spec: {selector: {meshService: {matchLabels: {app: api}}}, ports: [{port: 80, appProtocol: http}]}}"
	const same = "\n---\n{type: HostnameGenerator, name: g, spec: {selector: {meshService: {}}, template: '{{ .Mesh }}.example'}}"
	const direct = "\n---\n{type: Dataplane, mesh: m, name: direct, networking: {address: 10.0.0.8, inbound: [{port: 9000}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, directAccessServices: ['*']}}}"
	const closed = "\n---\n{type: MeshService, mesh: m, name: odd, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: HTTP}]}}" +
		"\n---\n{type: Dataplane, mesh: m, name: app-2, networking: {address: 10.0.0.8, inbound: [{port: 9000}], outbound: [{port: 1, backendRef: {kind: MeshService, name: odd, port: 80}}]}}"
	zonal := strings.Replace(generator, "{{ .Mesh }}", "{{ .Zone }}", 1)
	for name, tt := range map[string]struct {
		documents, from string
		to              request.Service
		old             bool // Kuma 2.14
		want, why       string
	}{
		"host name":                             {from: "app", to: request.Service{Host: "API.svc.mesh.local"}, want: "allowed"},
		"document without labels":               {documents: unlabeled, from: "app", to: request.Service{Host: "bare.svc.mesh.local"}, want: "unreachable", why: `no outbound to MeshService "bare"`},
		"multi-zone document without labels":    {documents: unlabeled, from: "app", to: request.Service{Host: "multi.mzsvc.mesh.local"}, want: "unreachable", why: `no outbound to MeshMultiZoneService "multi"`},
		"host name of a generator":              {documents: generator, from: "app", to: request.Service{Host: "api.m.api", Port: 80}, want: "allowed"},
		"host name without its generator":       {documents: generator, from: "app", to: request.Service{Host: "api.svc.mesh.local", Port: 80}, want: "unreachable", why: "no MeshPassthrough allows it"},
		"host name in a zone that is not known": {documents: zonal, from: "app", to: request.Service{Host: "api.east.api", Port: 80}, want: "unknown", why: "Set the label kuma.io/zone of a Dataplane"},
		"host name in no zone":                  {documents: zonal, from: "app", to: request.Service{Host: "api..api", Port: 80}, want: "unreachable", why: "no MeshPassthrough allows it"},
		"host name of two services":             {documents: same, from: "app", to: request.Service{Host: "m.example", Port: 80}, want: "unknown", why: "it resolves to only one of them"},
		"another port":                          {from: "app", to: request.Service{Host: "api.svc.mesh.local", Port: 81}, want: "unreachable", why: `MeshService "api" has no port 81.`},
		"a service without an outbound":         {from: "app", to: request.Service{Host: "db.svc.mesh.local"}, want: "unreachable", why: `no outbound to MeshService "db"`},
		"outbound by address":                   {from: "web-1", to: request.Service{Host: "localhost", Port: 1}, want: "allowed"},
		"outbound to a closed port":             {documents: closed, from: "app-2", to: request.Service{Host: "127.0.0.1", Port: 1}, old: true, want: "unreachable", why: "leads to no port that proxies can reach"},
		"no outbound at the address":            {from: "web-1", to: request.Service{Host: "127.0.0.1", Port: 77}, want: "passthrough", why: "without the proxy"},
		"host name without a transparent proxy": {from: "web-1", to: request.Service{Host: "api.svc.mesh.local"}, want: "unreachable", why: "must call the address of an outbound"},
		"restricted":                            {from: "app", to: other, want: "unreachable", why: "the control plane restricts outbounds"},
		"not restricted":                        {from: "app", to: other, old: true, want: "passthrough"},
		"another Dataplane":                     {documents: direct, from: "app", to: request.Service{Host: "10.0.0.8", Port: 9000}, old: true, want: "passthrough"},
		"another Dataplane accessed directly":   {documents: direct, from: "direct", to: request.Service{Host: "10.0.0.9", Port: 9000}, old: true, want: "unknown", why: "has directAccessServices"},
		"beside directly accessed Dataplanes":   {documents: direct, from: "direct", to: request.Service{Host: "10.0.0.9", Port: 9001}, old: true, want: "passthrough"},
		"closed mesh":                           {documents: "\n---\n{type: Mesh, name: m, meshServices: {mode: Exclusive}, networking: {outbound: {passthrough: false}}}", from: "app", to: other, old: true, want: "unreachable", why: "networking.outbound.passthrough of the mesh is false"},
		"all":                                   {documents: passthrough("passthroughMode: All"), from: "app", to: other, want: "passthrough"},
		"none":                                  {documents: passthrough("passthroughMode: None"), from: "app", to: other, old: true, want: "unreachable", why: "allows nothing"},
		"domain":                                {documents: passthrough("appendMatch: [{type: Domain, value: '*.example', protocol: tls, port: 443}]"), from: "app", to: other, want: "passthrough", why: "with the protocol tls"},
		"domain with another port":              {documents: passthrough("appendMatch: [{type: Domain, value: other.example, protocol: tls, port: 444}]"), from: "app", to: other, want: "unreachable", why: "allows only other destinations"},
		"domain without a port":                 {documents: passthrough("appendMatch: [{type: Domain, value: other.example, protocol: tls}]"), from: "app", to: other, want: "unreachable", why: "allows only other destinations"},
		"address of a name":                     {documents: passthrough("appendMatch: [{type: CIDR, value: 10.1.0.0/16, protocol: tcp}]"), from: "app", to: other, want: "unknown", why: "is not known"},
		"service by tag":                        {documents: "\n---\n{type: Mesh, name: m}", from: "app", to: request.Service{Host: "api.mesh", Port: 80}, old: true, want: "unknown", why: "kuma.io/service"},
		"domain mesh in an exclusive mesh":      {documents: "\n---\n{type: Mesh, name: m, meshServices: {mode: Exclusive}}", from: "app", to: request.Service{Host: "api.mesh", Port: 80}, old: true, want: "passthrough"},
		"virtual address":                       {from: "app", to: request.Service{Host: "241.0.0.3", Port: 80}, want: "unknown", why: "virtual address"},
		"address":                               {documents: passthrough("appendMatch: [{type: CIDR, value: 10.1.0.0/16, protocol: tcp}]"), from: "app", to: request.Service{Host: "10.1.2.3", Port: 443}, want: "passthrough"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			release := rules.Newest()
			if tt.old {
				release = kuma.Newest2()
			}
			resources := testworld.Resources(t, world+transparent+tt.documents)
			if !strings.Contains(tt.documents, "HostnameGenerator") {
				resources = append(resources, kinds.InitialGenerators()...)
			}
			snapshot := rules.NewSnapshotFor(release, resources)
			answer, err := request.New(snapshot).Send(request.Request{Mesh: "m", Dataplane: tt.from, Service: tt.to})
			if err != nil || string(answer.Verdict) != tt.want || !strings.Contains(answer.Reason, tt.why) {
				t.Errorf("%s, %s, %v, want %s, %s", answer.Verdict, answer.Reason, err, tt.want, tt.why)
			}
			if text := strings.Join(answer.Explanation, "\n"); !strings.Contains(text, "Verdict: "+tt.want) {
				t.Errorf("explanation:\n%s", text)
			}
		})
	}
}
