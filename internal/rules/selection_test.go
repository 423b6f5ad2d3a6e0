package rules_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// inboundPorts returns the ports for which a kind has inbound rules: where a
// policy with an inbound rule was selected.
func inboundPorts(r rules.PolicyRules) []int {
	var ports []int
	for _, in := range r.InboundRules {
		ports = append(ports, in.Inbound.Port)
	}
	return ports
}

// TestSelectInbounds is the example of matching.md §2.6.
func TestSelectInbounds(t *testing.T) {
	const dataplane = `
type: Dataplane
name: dp1
labels: {app: web, kuma.io/origin: zone, kuma.io/zone: zone-1}
networking:
  address: 127.0.0.1
  inbound:
  - {port: 8080, name: main, tags: {kuma.io/service: web, team: a, kuma.io/zone: zone-1}}
  - {port: 8081, tags: {kuma.io/service: admin, team: b, kuma.io/zone: zone-1}}
`
	var (
		both  = []int{8080, 8081}
		first = []int{8080}
		last  = []int{8081}
	)
	for name, tt := range map[string]struct {
		ref  string
		want []int
	}{
		"absent":                        {`null`, both},
		"mesh":                          {`{kind: Mesh}`, both},
		"mesh, sidecars":                {`{kind: Mesh, proxyTypes: [Sidecar]}`, both},
		"mesh, gateways":                {`{kind: Mesh, proxyTypes: [Gateway]}`, nil},
		"any dataplane":                 {`{kind: Dataplane}`, both},
		"dataplane by name":             {`{kind: Dataplane, name: dp1}`, both},
		"dataplane by labels":           {`{kind: Dataplane, labels: {app: web}}`, both},
		"dataplane by other labels":     {`{kind: Dataplane, labels: {app: cart}}`, nil},
		"dataplane by empty labels":     {`{kind: Dataplane, labels: {}}`, both},
		"dataplane, named section":      {`{kind: Dataplane, name: dp1, sectionName: main}`, first},
		"dataplane, section by number":  {`{kind: Dataplane, sectionName: "8081"}`, last},
		"dataplane, number of a name":   {`{kind: Dataplane, sectionName: "8080"}`, nil},
		"dataplane of a namespace":      {`{kind: Dataplane, name: dp1, namespace: x}`, nil},
		"any dataplane of a namespace":  {`{kind: Dataplane, namespace: x}`, nil},
		"subset without tags":           {`{kind: MeshSubset}`, both},
		"subset of the zone":            {`{kind: MeshSubset, tags: {kuma.io/zone: zone-1}}`, both},
		"subset by tag":                 {`{kind: MeshSubset, tags: {team: a}}`, first},
		"service":                       {`{kind: MeshService, name: web}`, first},
		"service ignores its section":   {`{kind: MeshService, name: web, sectionName: x}`, first},
		"service by labels":             {`{kind: MeshService, labels: {app: web}}`, nil},
		"service subset":                {`{kind: MeshServiceSubset, name: admin, tags: {team: b}}`, last},
		"service subset, wildcard":      {`{kind: MeshServiceSubset, name: admin, tags: {team: "*"}}`, last},
		"service subset, another tag":   {`{kind: MeshServiceSubset, name: admin, tags: {team: a}}`, nil},
		"gateway, which this is not":    {`{kind: MeshGateway, name: g}`, nil},
		"kind that cannot be a target":  {`{kind: MeshTCPRoute, name: r}`, nil},
		"reference without a kind":      {`{name: web}`, nil},
		"reference of the wrong type":   {`web`, both},
		"fields of the wrong type":      {`{kind: Mesh, proxyTypes: Gateway}`, both},
		"tags of the wrong type":        {`{kind: MeshSubset, tags: [team]}`, both},
		"labels take part in any order": {`{kind: Dataplane, labels: {kuma.io/zone: zone-1, app: web}}`, both},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := fmt.Sprintf(`
type: MeshTimeout
name: t
labels: {kuma.io/origin: zone, kuma.io/zone: zone-1}
spec:
  targetRef: %s
  rules: [{default: {idleTimeout: 1s}}]
`, tt.ref)
			got := inboundPorts(rulesOf(answerFor(t, "dp1", aMesh, policy, dataplane), "MeshTimeout"))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("inbounds selected by %s (-want +got):\n%s", tt.ref, diff)
			}
		})
	}
}

// TestAdmission covers matching.md §2.2 and §2.3.
func TestAdmission(t *testing.T) {
	for name, tt := range map[string]struct {
		dataplane, policy string // labels
		want              bool
	}{
		"no labels at all":                   {`{}`, `{}`, true},
		"same zone":                          {`{kuma.io/origin: zone, kuma.io/zone: z1}`, `{kuma.io/origin: zone, kuma.io/zone: z1}`, true},
		"another zone":                       {`{kuma.io/origin: zone, kuma.io/zone: z1}`, `{kuma.io/origin: zone, kuma.io/zone: z2}`, false},
		"another zone, but a producer":       {`{kuma.io/origin: zone, kuma.io/zone: z1}`, `{kuma.io/origin: zone, kuma.io/zone: z2, kuma.io/policy-role: producer}`, true},
		"policy of the global control plane": {`{kuma.io/origin: zone, kuma.io/zone: z1}`, `{kuma.io/origin: global, kuma.io/zone: z2}`, true},
		"dataplane of a planned world":       {`{}`, `{kuma.io/origin: zone, kuma.io/zone: z2}`, true},
		"dataplane of an unknown zone":       {`{kuma.io/origin: zone}`, `{kuma.io/origin: zone, kuma.io/zone: z2}`, true},
		"consumer in the namespace":          {`{k8s.kuma.io/namespace: shop}`, `{k8s.kuma.io/namespace: shop, kuma.io/policy-role: consumer}`, true},
		"consumer elsewhere":                 {`{k8s.kuma.io/namespace: shop}`, `{k8s.kuma.io/namespace: pay, kuma.io/policy-role: consumer}`, false},
		"owner elsewhere":                    {`{k8s.kuma.io/namespace: shop}`, `{k8s.kuma.io/namespace: pay, kuma.io/policy-role: workload-owner}`, false},
		"owner without a namespace":          {`{}`, `{kuma.io/policy-role: workload-owner}`, false},
		"producer elsewhere":                 {`{k8s.kuma.io/namespace: shop}`, `{k8s.kuma.io/namespace: pay, kuma.io/policy-role: producer}`, true},
		"unknown role":                       {`{k8s.kuma.io/namespace: shop}`, `{k8s.kuma.io/namespace: pay, kuma.io/policy-role: chief}`, true},
		"shadow":                             {`{}`, `{kuma.io/effect: shadow}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := answerFor(t, "web", aMesh,
				`{type: Dataplane, name: web, labels: `+tt.dataplane+`, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}`,
				`{type: MeshTrace, name: t, labels: `+tt.policy+`, spec: {default: {}}}`)
			if got := rulesOf(answer, "MeshTrace").ProxyRule != nil; got != tt.want {
				t.Errorf("policy %s on dataplane %s: matched %t, want %t", tt.policy, tt.dataplane, got, tt.want)
			}
		})
	}
}

// TestGateways is the example of matching.md §11.
func TestGateways(t *testing.T) {
	const timeout = `default: {idleTimeout: 1s}`
	answer := answerFor(t, "edge", aMesh, `
type: MeshGateway
name: gateway
selectors:
  - {match: {kuma.io/service: edge}}
conf:
  listeners:
    - {port: 8080, tags: {l: a}}
    - {port: 8080, tags: {l: b}}
    - {port: 9090, tags: {l: c}}
`, `
type: Dataplane
name: edge
networking:
  address: 10.0.0.1
  gateway:
    type: BUILTIN
    tags: {kuma.io/service: edge}
`, `
type: MeshTimeout
name: mesh
spec:
  to: [{targetRef: {kind: Mesh}, `+timeout+`}]
  from: [{targetRef: {kind: Mesh}, `+timeout+`}]
`, `
type: MeshTimeout
name: gw
spec:
  targetRef: {kind: MeshGateway, name: gateway}
  to: [{targetRef: {kind: Mesh}, `+timeout+`}]
`, `
type: MeshTimeout
name: gw-a
spec:
  targetRef: {kind: MeshGateway, name: gateway, tags: {l: a}}
  to: [{targetRef: {kind: Mesh}, `+timeout+`}]
`, `
type: MeshTimeout
name: sub
spec:
  targetRef: {kind: MeshSubset, tags: {l: c}}
  from: [{targetRef: {kind: Mesh}, `+timeout+`}]
`, `
type: MeshTimeout
name: elsewhere
spec:
  targetRef: {kind: MeshGateway, name: gateway, tags: {l: z}}
  to: [{targetRef: {kind: Mesh}, `+timeout+`}]
`)
	got := rulesOf(answer, "MeshTimeout")

	testworld.Equal(t, "toRules", []string{` | {"idleTimeout":"1s"} | mesh gw gw-a`}, tagRules(got.ToRules))
	testworld.Equal(t, "toResourceRules", []string{`Mesh default | {"idleTimeout":"1s"} | mesh#0 gw-a#0 gw#0`}, resourceRules(got.ToResourceRules))
	ports := map[int]string{}
	for _, r := range got.FromRules {
		ports[r.Inbound.Port] = metas(r.Rules[0].Origin)
	}
	testworld.Equal(t, "origins of fromRules", map[int]string{8080: "mesh", 9090: "mesh sub"}, ports)
}

// TestAttachGateway covers matching.md §2.5: which of several MeshGateways
// a proxy belongs to. The corpus has no creation times.
func TestAttachGateway(t *testing.T) {
	for name, tt := range map[string]struct{ a, b, want string }{
		"first by name":        {`selectors: [{match: {s: x}}]`, `selectors: [{match: {s: x}}]`, "a"},
		"more tags":            {`selectors: [{match: {s: x}}]`, `selectors: [{match: {s: x, t: "*"}}]`, "b"},
		"fewer wildcards":      {`selectors: [{match: {s: "*"}}]`, `selectors: [{match: {s: x}}]`, "b"},
		"best of its matches":  {`selectors: [{match: {s: "*"}}, {match: {s: x, t: y}}]`, `selectors: [{match: {s: x}}]`, "a"},
		"newer":                {`creationTime: "2026-01-01T00:00:00Z", selectors: [{match: {s: x}}]`, `creationTime: "2026-01-02T00:00:00Z", selectors: [{match: {s: x}}]`, "b"},
		"older, but more tags": {`selectors: [{match: {s: x, t: y}}]`, `creationTime: "2026-01-02T00:00:00Z", selectors: [{match: {s: x}}]`, "a"},
		"of another zone":      {`labels: {kuma.io/origin: zone, kuma.io/zone: z2}, selectors: [{match: {s: x}}]`, `selectors: [{match: {s: x}}]`, "b"},
		"of unknown origin":    {`labels: {kuma.io/origin: moon}, selectors: [{match: {s: x}}]`, `selectors: [{match: {s: x}}]`, "b"},
		"of the global plane":  {`labels: {kuma.io/origin: global, kuma.io/zone: z2}, selectors: [{match: {s: x}}]`, `selectors: [{match: {s: x}}]`, "a"},
		"none that fits":       {`selectors: [{match: {s: z}}]`, `selectors: []`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := []string{aMesh, `
type: Dataplane
name: edge
labels: {kuma.io/origin: zone, kuma.io/zone: z1}
networking:
  address: 10.0.0.1
  gateway:
    type: BUILTIN
    tags: {s: x, t: y}
`}
			for gateway, body := range map[string]string{"a": tt.a, "b": tt.b} {
				documents = append(documents,
					`{type: MeshGateway, name: `+gateway+`, `+body+`, conf: {listeners: [{port: 80}]}}`,
					`{type: MeshTrace, name: for-`+gateway+`, spec: {targetRef: {kind: MeshGateway, name: `+gateway+`}, default: {}}}`)
			}
			want, got := "", ""
			if tt.want != "" {
				want = "for-" + tt.want
			}
			if r := rulesOf(answerFor(t, "edge", documents...), "MeshTrace").ProxyRule; r != nil {
				got = metas(r.Origin)
			}
			if got != want {
				t.Errorf("policies that match: got %q, want %q", got, want)
			}
		})
	}
}

// TestGatewayAttachesToSidecar checks the behavior of the control plane when
// the selector of a MeshGateway happens to match a sidecar (matching.md §2.5).
func TestGatewayAttachesToSidecar(t *testing.T) {
	answer := answerFor(t, "web", aMesh,
		`
type: MeshGateway
name: g
selectors:
  - {match: {kuma.io/service: "*"}}
conf:
  listeners: [{port: 80}, {port: 81}]
`,
		`
type: Dataplane
name: web
networking:
  address: 10.0.0.1
  inbound:
    - port: 80
      tags: {kuma.io/service: web}
`,
		`
type: MeshTimeout
name: all
spec:
  rules:
    - {default: {idleTimeout: 1s}}
`,
		`
type: MeshTimeout
name: dataplanes
spec:
  targetRef: {kind: Dataplane}
  rules:
    - {default: {idleTimeout: 2s}}
`)
	got := map[int][]string{}
	for _, r := range rulesOf(answer, "MeshTimeout").InboundRules {
		got[r.Inbound.Port] = inboundRules(r.Rules)
	}
	want := map[int][]string{
		80: {`all | {"idleTimeout":"1s"} | all#0`, `all | {"idleTimeout":"1s"} | all#0`},
		81: {`all | {"idleTimeout":"1s"} | all#0`},
	}
	testworld.Equal(t, "inbound rules by port", want, got)
}
