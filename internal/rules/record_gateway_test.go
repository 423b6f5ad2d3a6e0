package rules_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRecordGateway is the example of record 004: a policy for one listener of a
// gateway, and the order of the kinds that can name it.
func TestRecordGateway(t *testing.T) {
	const gateway = `
apiVersion: kuma.io/v1alpha1
kind: MeshGateway
metadata:
  name: edge-gateway
mesh: default
spec:
  selectors:
  - match: {kuma.io/service: edge-gateway}
  conf:
    listeners:
    - {port: 8080, protocol: HTTP, tags: {protocol: http}}
    - {port: 8443, protocol: HTTPS, tags: {protocol: https}}
`
	policy := func(name, top string) string {
		return inNamespace(kuma.SystemNamespace, "MeshTimeout", name, `targetRef: {`+top+`}, `+
			`rules: [{default: {idleTimeout: 1s}}], to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]`)
	}
	s := rules.NewSnapshot(testworld.Resources(t,
		aMesh, gateway,
		inNamespace("edge-ns", "Dataplane", "edge", `networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge-gateway}}}`),
		proxyIn("other-ns", "other", `service-type: ui`),
		policy("https-only", `kind: MeshGateway, name: edge-gateway, tags: {protocol: https}`),
		policy("all-listeners", `kind: MeshGateway, name: edge-gateway`),
		policy("by-subset", `kind: MeshSubset, tags: {kuma.io/service: edge-gateway}`),
		policy("everybody", `kind: Mesh`),
	))
	for dataplane, want := range map[string]struct {
		outgoing string
		incoming map[int]string
	}{
		"edge.edge-ns": {
			"everybody by-subset https-only all-listeners",
			map[int]string{8080: "everybody by-subset all-listeners", 8443: "everybody by-subset https-only all-listeners"},
		},
		"other.other-ns": {"everybody", map[int]string{80: "everybody"}},
	} {
		r, err := s.Rules("default", dataplane, "MeshTimeout")
		testworld.NoError(t, err)
		short := strings.NewReplacer("."+kuma.SystemNamespace, "", "#0", "")
		if got := short.Replace(origins(r.ToResourceRules[0].Origin)); got != want.outgoing {
			t.Errorf("%s: origin of outgoing traffic: got %s, want %s", dataplane, got, want.outgoing)
		}
		incoming := map[int]string{}
		for _, in := range r.InboundRules {
			var names []string
			for _, rule := range in.Rules {
				names = append(names, short.Replace(origins(rule.Origin)))
			}
			incoming[in.Inbound.Port] = strings.Join(names, " ")
		}
		if !maps.Equal(want.incoming, incoming) {
			t.Errorf("%s: incoming traffic: got %v, want %v", dataplane, incoming, want.incoming)
		}
	}
}
