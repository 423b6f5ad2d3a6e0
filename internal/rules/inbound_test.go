package rules_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestInboundRules is the example of matching.md §7.6.
func TestInboundRules(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane, `
type: MeshTimeout
name: p1
spec:
  rules:
    - {default: {idleTimeout: 1s}}
    - default: {idleTimeout: 2s}
      matches:
        - {spiffeID: {type: Prefix, value: b}}
        - {spiffeID: {type: Exact, value: c}}
    - default: {idleTimeout: 3s}
      matches:
        - {sni: {type: Exact, value: x.y}}
    - default: {idleTimeout: 4s}
      matches:
        - spiffeID: {type: Exact, value: d}
          sni: {type: Exact, value: x.y}
    - default: {idleTimeout: 5s}
      matches: []
`, `
type: MeshTimeout
name: p0
spec:
  rules:
    - default: {idleTimeout: 6s}
      matches:
        - {spiffeID: {type: Exact, value: e}}
    - {default: {idleTimeout: 7s}}
`, `
type: MeshTimeout
name: pf
spec:
  from:
  - {targetRef: {kind: Mesh}, default: {idleTimeout: 8s}}
  - {targetRef: {kind: Mesh}, default: {idleTimeout: 9s}}
`)
	got := rulesOf(answer, "MeshTimeout")
	want := []string{
		`{"sni":{"type":"Exact","value":"x.y"},"spiffeID":{"type":"Exact","value":"d"}} | {"idleTimeout":"4s"} | p1#3`,
		`{"spiffeID":{"type":"Exact","value":"c"}} | {"idleTimeout":"2s"} | p1#1`,
		`{"spiffeID":{"type":"Exact","value":"e"}} | {"idleTimeout":"6s"} | p0#0`,
		`{"spiffeID":{"type":"Prefix","value":"b"}} | {"idleTimeout":"2s"} | p1#1`,
		`{"sni":{"type":"Exact","value":"x.y"}} | {"idleTimeout":"3s"} | p1#2`,
		`all | {"idleTimeout":"8s"} | pf#0`,
		`all | {"idleTimeout":"9s"} | pf#1`,
		`all | {"idleTimeout":"1s"} | p1#0`,
		`all | {"idleTimeout":"5s"} | p1#4`,
		`all | {"idleTimeout":"7s"} | p0#1`,
	}
	testworld.Equal(t, "inboundRules", want, inboundRules(got.InboundRules[0].Rules))
	testworld.Equal(t, "fromRules", []string{` | {"idleTimeout":"9s"} | pf`}, tagRules(got.FromRules[0].Rules))
}

// TestFromIsNotAlwaysRules checks that `from` of a MeshTrafficPermission only
// results in legacy rules (matching.md §7.1).
func TestFromIsNotAlwaysRules(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane,
		`
type: MeshTrafficPermission
name: p
spec:
  from:
    - targetRef: {kind: Mesh}
      default: {action: Deny}
`)
	got := rulesOf(answer, "MeshTrafficPermission")
	if len(got.FromRules) != 1 || len(got.InboundRules) != 0 {
		t.Errorf("got %d fromRules and %d inboundRules, want 1 and 0", len(got.FromRules), len(got.InboundRules))
	}
}

// TestInboundsThatShareAPort checks that such inbounds are described by the
// first of them (matching.md §6) and sorted by address.
func TestInboundsThatShareAPort(t *testing.T) {
	answer := answerFor(t, "web", aMesh, `
type: Dataplane
name: web
networking:
  address: 10.0.0.1
  inbound:
  - {port: 80, address: 10.0.0.9, name: first, tags: {n: "1"}}
  - {port: 80, name: second, tags: {n: "2"}}
  - {port: 79, name: third}
`,
		`
type: MeshTimeout
name: two
spec:
  targetRef: {kind: MeshSubset, tags: {n: "2"}}
  rules:
    - {default: {idleTimeout: 2s}}
`,
		`
type: MeshTimeout
name: one
spec:
  targetRef: {kind: MeshSubset, tags: {n: "1"}}
  rules:
    - {default: {idleTimeout: 1s}}
`,
		`
type: MeshTimeout
name: all
spec:
  targetRef: {kind: Dataplane, sectionName: third}
  rules:
    - {default: {idleTimeout: 3s}}
`)
	var got []string
	for _, in := range rulesOf(answer, "MeshTimeout").InboundRules {
		got = append(got, compact(in.Inbound)+" "+origins(in.Rules[0].Origin))
	}
	want := []string{
		`{"name":"third","port":79,"tags":null} all#0`,
		`{"name":"first","port":80,"tags":{"n":"1"}} two#0`,
		`{"name":"first","port":80,"tags":{"n":"1"}} one#0`,
	}
	testworld.Equal(t, "inbounds", want, got)
}

func TestInboundInMessages(t *testing.T) {
	t.Parallel()
	for want, in := range map[string]rules.Inbound{"port 8080": {Port: 8080}, "port 8080 (main)": {Name: "main", Port: 8080}} {
		if got := in.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
