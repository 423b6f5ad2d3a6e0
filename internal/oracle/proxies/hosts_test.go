package proxies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// hostClients are a transparent proxy that reaches api, and web, which has outbounds only.
const hostClients = `---
{type: Dataplane, mesh: MESH, name: app, labels: {app: app}, networking: {address: 127.0.0.9, inbound: [{port: 9000, tags: {kuma.io/service: app}}],
  transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {refs: [{kind: MeshService, labels: {app: api}}, {kind: MeshExternalService, labels: {app: ext}}]}}}}
---
{type: MeshExternalService, mesh: MESH, name: ext, labels: {app: ext}, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: 10.9.9.9, port: 8443}]}}
---
{type: HostnameGenerator, name: MESH-services, spec: {selector: {meshService: {matchLabels: {kuma.io/mesh: MESH}}}, template: '{{ .DisplayName }}.{{ label "app" }}.MESH'}}
---
{type: HostnameGenerator, name: MESH-none, spec: {selector: {meshService: {matchLabels: {kuma.io/mesh: MESH}}}, template: '{{ label "nope" }}.{{ .DisplayName }}'}}
---
{type: HostnameGenerator, name: MESH-external, spec: {selector: {meshExternalService: {matchLabels: {kuma.io/mesh: MESH}}}, template: '{{ .DisplayName }}.{{ .Mesh }}.external'}}
`

// passthrough returns a policy about destinations outside the mesh.
func passthrough(conf string) string { return policy("MeshPassthrough", "pass", "default: {"+conf+"}") }

// TestHosts compares what happens to requests for host names and addresses.
func TestHosts(t *testing.T) {
	cp := start(t)
	const closed = "{type: Mesh, name: MESH, skipCreatingInitialPolicies: ['*'], meshServices: {mode: Exclusive}, networking: {outbound: {passthrough: false}}}"
	worlds := map[string]string{
		"plain": "", "all": passthrough("passthroughMode: All"), "none": passthrough("passthroughMode: None"),
		"domain":   passthrough("passthroughMode: Matched, appendMatch: [{type: Domain, value: other.example, protocol: http, port: 80}]"),
		"wildcard": passthrough("passthroughMode: Matched, appendMatch: [{type: Domain, value: '*.example', protocol: http, port: 80}]"),
		"address":  passthrough("passthroughMode: Matched, appendMatch: [{type: IP, value: 10.0.0.7, protocol: tcp}, {type: CIDR, value: 10.1.0.0/16, port: 81, protocol: tcp}]"),
		"empty":    passthrough(""),
	}
	if !cp.Info.Release.Kuma3() {
		worlds["mesh-closed"], worlds["mesh-closed-all"] = "---\n"+closed+"\n", "---\n"+closed+"\n"+passthrough("passthroughMode: All")
	}
	for name, documents := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resources := store(t, cp, strings.ReplaceAll(base()+hostClients+documents, "MESH", name))
			stored, err := cp.Stored(t.Context(), name)
			testworld.NoError(t, err)
			simulation := engine.New(rules.NewSnapshotFor(cp.Info.Release, append(stored, generatorsOf(resources)...)).RestrictOutbound(false)) // the preview does not
			simulation.DomainNeedsPort = false                                                                                                  // stated for 3.0.1
			eventually(t, connect(t, cp, resources), func(m envoy.Mesh) string {
				var differences []string
				for _, from := range []string{"app", "web"} {
					for _, host := range []string{
						"api.api." + name + ":80", "API.api." + name + ":83", "db.db." + name + ":80", "ext." + name + ".external:443", "other.example:80", "a.other.example:80", "x.example:80", "other.example:81",
						"10.0.0.7:80", "10.1.2.3:81", "10.1.2.3:80", "127.0.0.1:11000", "127.0.0.1:11002", "127.0.0.1:4999",
					} {
						if from == "app" && strings.HasPrefix(host, "127.") {
							continue // a transparent proxy does not get these connections
						}
						if different := compareHost(m, simulation, name, from, host); different != "" {
							differences = append(differences, fmt.Sprintf("%s calls %s: %s", from, host, different))
						}
					}
				}
				return strings.Join(differences, "\n")
			})
		})
	}
}

// generatorsOf returns the HostnameGenerators, which belong to no mesh.
func generatorsOf(resources []kuma.Resource) []kuma.Resource {
	return slices.DeleteFunc(slices.Clone(resources), func(r kuma.Resource) bool {
		return r.Type != kinds.HostnameGenerator.Name && r.Type != kinds.ZoneIngress.Name
	})
}

// compareHost returns how the engine and the proxies differ, "" if they do not.
func compareHost(m envoy.Mesh, simulation engine.Simulation, mesh, from, address string) string {
	host, text, _ := strings.Cut(address, ":")
	var port int
	_, _ = fmt.Sscan(text, &port)
	r := envoy.Request{Host: host, Port: port, Method: "GET", Path: "/"}
	if port == 11002 {
		r.Protocol, r.Path = envoy.TCP, ""
	}
	outcomes, err := m.Send(from, r)
	did := "closed" // as with a cluster that does not exist
	switch {
	case err != nil && strings.Contains(err.Error(), `no cluster "self_transparentproxy_passthrough`):
	case err != nil || len(outcomes) != 1:
		return fmt.Sprintf("%+v, %v", outcomes, err)
	case outcomes[0].Verdict == envoy.Forwarded && !strings.HasPrefix(outcomes[0].Cluster, "meshpassthrough_"):
		did = service(outcomes[0].Cluster)
	case outcomes[0].Verdict == envoy.Forwarded, outcomes[0].Verdict == envoy.Passthrough:
		did = "passthrough"
	case outcomes[0].Verdict == envoy.NoListener:
		did = "without the proxy"
	}
	answer, err := simulation.Send(engine.Request{Mesh: mesh, Dataplane: from, Service: engine.Service{Host: host, Port: port}})
	if err != nil {
		return err.Error()
	}
	transparent := from == "app"
	want := []string{"closed"}
	switch {
	case len(answer.Backends) > 0:
		want = []string{answer.Backends[0].Name}
	case !transparent:
		want = []string{"without the proxy"}
	case answer.Verdict == engine.Passthrough:
		want = []string{"passthrough"}
	case answer.Verdict == engine.Unknown && mesh == "address", strings.Contains(host, mesh): // to the address of a service
		want = []string{"closed", "passthrough"}
	}
	if !slices.Contains(want, did) {
		return fmt.Sprintf("%s (%s), the proxies: %s %+v", answer.Verdict, answer.Reason, did, outcomes)
	}
	return ""
}
