package rules_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestToRulesOfRoutes is the example of matching.md §5.6. The hashes are
// those of the prefixes /a and /b.
func TestToRulesOfRoutes(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane, `
type: MeshHTTPRoute
name: r1
spec:
  to:
    - targetRef: {kind: MeshService, name: cart}
      rules:
        - matches:
            - path: {type: PathPrefix, value: /a}
          default: {}
        - matches:
            - path: {type: PathPrefix, value: /b}
          default: {}
`,
		`
type: MeshTimeout
name: t1
spec:
  targetRef: {kind: MeshHTTPRoute, name: r1}
  to:
    - targetRef: {kind: Mesh}
      default: {idleTimeout: 1s}
`,
		`
type: MeshTimeout
name: t2
spec:
  to:
    - targetRef: {kind: Mesh}
      default: {idleTimeout: 2s}
`,
		`
type: MeshTimeout
name: t3
spec:
  to:
    - targetRef: {kind: MeshService, name: other}
      default: {idleTimeout: 3s}
`,
	)
	short := strings.NewReplacer(
		"__rule-matches-hash__", "hash", "kuma.io/service", "service",
		"FVl5kxrbTN6O2cgtyofxrlLJWaSHL0+EIAVq2LRD4kA=", "A",
		"xJNN5iyDhQlguuV/FF4z38DUibfU0YT+fVBUzLppZz4=", "B",
		`{"idleTimeout":"1s"}`, "1s", `{"idleTimeout":"2s"}`, "2s")
	got := strings.Split(short.Replace(strings.Join(tagRules(rulesOf(answer, "MeshTimeout").ToRules), "\n")), "\n")
	want := []string{
		"hash=B service=cart | 1s | t2 t1",
		"hash=A service=cart | 1s | t2 t1",
		"!hash=B service=cart | 2s | t2",
		"hash=B !service=cart | 2s | t2",
		"!hash=A service=cart | 2s | t2",
		"hash=A !service=cart | 2s | t2",
		"service=other | 2s | t3 t2",
		"!hash=B !service=cart | 2s | t2",
		"!hash=A !service=cart | 2s | t2",
		"!service=other | 2s | t2",
	}
	testworld.Equal(t, "toRules", want, got)
}

// TestFromRules is the example of matching.md §6.
func TestFromRules(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane, `
type: MeshTrafficPermission
name: p
spec:
  from:
    - targetRef: {kind: Mesh}
      default: {action: Deny}
    - targetRef: {kind: MeshSubset, tags: {team: a}}
      default: {action: Allow}
    - targetRef:
        kind: MeshSubset
        tags: {team: b, env: dev}
      default: {action: Allow}
`)
	from := rulesOf(answer, "MeshTrafficPermission").FromRules
	if len(from) != 1 {
		t.Fatalf("fromRules: got %d inbounds, want 1", len(from))
	}
	wantInbound := rules.Inbound{Name: "main", Port: 8080, Tags: map[string]string{"kuma.io/service": "web"}}
	testworld.Equal(t, "inbound", wantInbound, from[0].Inbound)
	want := []string{
		`env=dev team=b | {"action":"Allow"} | p`,
		`!env=dev team=b | {"action":"Deny"} | p`,
		`env=dev !team=b | {"action":"Deny"} | p`,
		`team=a | {"action":"Allow"} | p`,
		`!env=dev !team=b | {"action":"Deny"} | p`,
		`!team=a | {"action":"Deny"} | p`,
	}
	testworld.Equal(t, "fromRules", want, tagRules(from[0].Rules))
}

// TestCliquesAreOrderedAsText covers matching.md §5.3: with more than ten
// entries, "11" comes before "2".
func TestCliquesAreOrderedAsText(t *testing.T) {
	var from []string
	for i := range 12 {
		from = append(from, fmt.Sprintf(`{targetRef: {kind: MeshService, name: s%d}, default: {}}`, i))
	}
	answer := answerFor(t, "web", aMesh, aDataplane,
		`{type: MeshTrafficPermission, name: p, spec: {from: [`+strings.Join(from, ", ")+`]}}`)
	var got []string
	for _, r := range rulesOf(answer, "MeshTrafficPermission").FromRules[0].Rules {
		got = append(got, r.Matchers[0].Value)
	}
	want := strings.Fields("s9 s8 s7 s6 s5 s4 s3 s2 s11 s10 s1 s0")
	testworld.Equal(t, "values of the rules", want, got)
}

// TestContradictingTags checks that no peer meets the name of a
// MeshServiceSubset together with a tag of another service. The tags divide the
// peers of other entries anyway. The answers are those of a control plane 2.14.
func TestContradictingTags(t *testing.T) {
	t.Parallel()
	const contradiction = `
  - {targetRef: {kind: MeshServiceSubset, name: api, tags: {kuma.io/service: web, a: "1"}}, default: {action: Deny}}`
	tests := map[string]struct {
		entries string
		want    []string
	}{
		"alone": {contradiction, nil},
		"with another key": {contradiction + `
  - {targetRef: {kind: MeshSubset, tags: {z: "1"}}, default: {action: Allow}}`, []string{
			`a=1 kuma.io/service=api z=1 | {"action":"Allow"} | p`,
			`a=1 kuma.io/service=web z=1 | {"action":"Allow"} | p`,
			`!a=1 kuma.io/service=web z=1 | {"action":"Allow"} | p`,
			`!a=1 kuma.io/service=api z=1 | {"action":"Allow"} | p`,
			`a=1 !kuma.io/service=api !kuma.io/service=web z=1 | {"action":"Allow"} | p`,
			`!a=1 !kuma.io/service=api !kuma.io/service=web z=1 | {"action":"Allow"} | p`,
		}},
		"with one of the services": {`
  - {targetRef: {kind: MeshServiceSubset, name: web, tags: {kuma.io/service: api}}, default: {action: Deny}}
  - {targetRef: {kind: Mesh}, default: {action: Allow}}
  - {targetRef: {kind: MeshService, name: api}, default: {action: AllowWithShadowDeny}}`, []string{
			`kuma.io/service=api | {"action":"AllowWithShadowDeny"} | p`,
			`kuma.io/service=api | {"action":"AllowWithShadowDeny"} | p`,
			`kuma.io/service=web | {"action":"Allow"} | p`,
			`!kuma.io/service=api | {"action":"Allow"} | p`,
			`!kuma.io/service=api !kuma.io/service=web | {"action":"Allow"} | p`,
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := answerFor(t, "web", aMesh, aDataplane, `
type: MeshTrafficPermission
name: p
spec:
  from:`+tt.entries)
			var got []string
			for _, from := range rulesOf(answer, "MeshTrafficPermission").FromRules {
				got = append(got, tagRules(from.Rules)...)
			}
			testworld.Equal(t, "fromRules", tt.want, got)
		})
	}
}

// TestManyTagsExhaustNoMemory limits the memory of rules: 17 tags once resulted
// in rules of 190 MB, and a data source that took 3 GB.
func TestManyTagsExhaustNoMemory(t *testing.T) {
	for name, test := range map[string]struct{ inbounds, tags int }{
		"one inbound":   {1, 17},
		"many inbounds": {40, 12},
	} {
		t.Run(name, func(t *testing.T) { // not parallel: it measures
			var inbounds, from []string
			for i := range test.inbounds {
				inbounds = append(inbounds, fmt.Sprintf(`{port: %d, tags: {kuma.io/service: web}}`, 8000+i))
			}
			for i := range test.tags {
				from = append(from, fmt.Sprintf(`{targetRef: {kind: MeshSubset, tags: {k%d: v}}, default: {action: Allow}}`, i))
			}
			s := rules.NewSnapshot(testworld.Resources(t, aMesh,
				`{type: Dataplane, name: web, networking: {address: 10.0.0.1, inbound: [`+strings.Join(inbounds, ", ")+`]}}`,
				`{type: MeshTrafficPermission, name: p, spec: {from: [`+strings.Join(from, ", ")+`]}}`))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := s.Dataplane("default", "web")
			runtime.ReadMemStats(&after)
			if !errors.Is(err, rules.ErrTooManySubsets) {
				t.Fatalf("Dataplane: got error %v, want %v", err, rules.ErrTooManySubsets)
			}
			for _, part := range []string{`MeshTrafficPermission for dataplane "web"`, fmt.Sprintf("%d different keys", test.tags), "20 MB", "use fewer keys"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error %q does not say %q", err, part)
				}
			}
			const most = 64 << 20
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("it took %d MB, want at most %d MB", took>>20, most>>20)
			}
		})
	}
}

// TestTooManySubsets checks that too many rules are an error: their number
// doubles with every tag, which would exhaust the memory.
func TestTooManySubsets(t *testing.T) {
	policy := func(entries, values int) string {
		var from []string
		for i := range entries {
			for v := range values {
				from = append(from, fmt.Sprintf(`{targetRef: {kind: MeshSubset, tags: {k%d: v%d}}, default: {}}`, i, v))
			}
		}
		return `{type: MeshTrafficPermission, name: p, spec: {from: [` + strings.Join(from, ", ") + `]}}`
	}
	outgoing := strings.NewReplacer("MeshTrafficPermission", "MeshTimeout", "from:", "to:")
	for name, tt := range map[string]struct {
		mesh   string
		kind   string
		policy string
		want   error
	}{
		"few tags":    {aMesh, "MeshTrafficPermission", policy(5, 2), nil},
		"13 tags":     {aMesh, "MeshTrafficPermission", policy(13, 1), nil},
		"17 tags":     {aMesh, "MeshTrafficPermission", policy(17, 1), rules.ErrTooManySubsets},
		"one tag":     {aMesh, "MeshTrafficPermission", policy(1, 1_000), nil},
		"many tags":   {aMesh, "MeshTrafficPermission", policy(100, 1), rules.ErrTooManySubsets},
		"many values": {aMesh, "MeshTrafficPermission", policy(30, 3), rules.ErrTooManySubsets},
		"outgoing":    {aMesh, "MeshTimeout", outgoing.Replace(policy(100, 1)), rules.ErrTooManySubsets},
		"outgoing, not shown": {
			`{type: Mesh, name: default, meshServices: {mode: Exclusive}}`, "MeshTimeout", outgoing.Replace(policy(100, 1)), nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rules.NewSnapshot(testworld.Resources(t, tt.mesh, aDataplane, tt.policy))
			if _, err := s.Dataplane("default", "web"); !errors.Is(err, tt.want) {
				t.Errorf("Dataplane: got error %v, want %v", err, tt.want)
			}
			if _, err := s.Rules("default", "web", tt.kind); !errors.Is(err, tt.want) {
				t.Errorf("Rules: got error %v, want %v", err, tt.want)
			}
		})
	}
}
