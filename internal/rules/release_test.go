package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestKnown(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]kuma.Release{
		"2.9.0": {Major: 2, Minor: 9}, "2.13.4": {Major: 2, Minor: 13, Patch: 4}, "2.14.99": {Major: 2, Minor: 14, Patch: 99},
		"2.8.7": {Major: 2, Minor: 9}, "2.15.0": kuma.Newest2(), "unknown": kuma.Newest2(),
		"3.0.0": rules.Newest(), "3.1.0": rules.Newest(), "4.0.0": rules.Newest(),
	} {
		if got := rules.Known(kuma.ParseRelease(version)); got != want {
			t.Errorf("Known(%s) = %v, want %v", version, got, want)
		}
	}
}

// TestPatchesOfReleases checks that patches of older releases match like the newest one
// where versions.md §5 says so.
func TestPatchesOfReleases(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, aMesh, `
type: Dataplane
name: edge
networking: {address: 10.0.0.1, gateway: {tags: {kuma.io/service: edge}}}
`, `
type: Dataplane
name: web
networking: {address: 10.0.0.1, inbound: [{port: 80, state: Ignored, tags: {kuma.io/service: web}}]}
`, `
type: MeshTimeout
name: all
spec: {targetRef: {kind: Dataplane}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}
`)
	for version, want := range map[string][]string{
		"2.9.14": nil, "2.9.15": {"web"}, "2.10.11": nil, "2.11.15": nil, "2.11.16": {"web"},
		"2.12.7": nil, "2.12.8": {"edge"}, "2.12.10": {"edge", "web"}, "2.13.0": nil, "2.13.5": {"edge", "web"}, "2.14.0": {"edge", "web"},
	} {
		s := rules.NewSnapshotFor(kuma.ParseRelease(version), resources)
		if diff := cmp.Diff(want, s.Selected(kuma.Key{Type: "MeshTimeout", Mesh: "default", Name: "all"})); diff != "" {
			t.Errorf("%s: selected dataplanes (-want +got):\n%s", version, diff)
		}
	}
}

// TestInboundRulesOfReleases covers releases between those of TestReleases.
func TestInboundRulesOfReleases(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, aMesh, aDataplane, `
type: MeshFaultInjection
name: f
spec:
  targetRef: {kind: Mesh, proxyTypes: [Sidecar]}
  rules:
    - default: {http: [{abort: {httpStatus: 500, percentage: 1}}]}
    - matches: [{spiffeID: {type: Exact, value: spiffe://default/a}}, {spiffeID: {type: Exact, value: spiffe://default/b}}]
      default: {http: []}
`)
	all, none := `{"http":[{"abort":{"httpStatus":500,"percentage":1}}]}`, `{"http":[]}`
	for version, want := range map[string][]string{
		"2.13.0": {"all | " + all + " | f#0", "all | " + none + " | f#1"},
		"2.14.0": {
			`{"spiffeID":{"type":"Exact","value":"spiffe://default/a"}} | ` + none + " | f#1",
			`{"spiffeID":{"type":"Exact","value":"spiffe://default/b"}} | ` + none + " | f#1",
			"all | " + all + " | f#0",
		},
	} {
		answer, err := rules.NewSnapshotFor(kuma.ParseRelease(version), resources).Dataplane("default", "web")
		testworld.NoError(t, err)
		for _, in := range rulesOf(answer, "MeshFaultInjection").InboundRules {
			if diff := cmp.Diff(want, inboundRules(in.Rules)); diff != "" {
				t.Errorf("%s: inbound rules (-want +got):\n%s", version, diff)
			}
		}
	}
}

// TestSectionsThatReleasesDoNotCheck checks that an entry for a port that does not exist
// is reported as dangling, although 2.9 has a rule for it.
func TestSectionsThatReleasesDoNotCheck(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, aMesh, aDataplane, `
type: MeshService
name: api
spec: {ports: [{port: 80, name: http}]}
`, `
type: MeshTimeout
name: t
spec:
  to:
    - {targetRef: {kind: MeshService, name: api, sectionName: http}, default: {idleTimeout: 1s}}
    - {targetRef: {kind: MeshService, name: api, sectionName: missing}, default: {idleTimeout: 2s}}
`)
	s := rules.NewSnapshotFor(kuma.ParseRelease("2.9.0"), resources)
	answer, err := s.Dataplane("default", "web")
	testworld.NoError(t, err)
	want := []string{`MeshService api http | {"idleTimeout":"1s"} | t#0`, `MeshService api missing | {"idleTimeout":"2s"} | t#1`}
	testworld.Equal(t, "rules", want, resourceRules(rulesOf(answer, "MeshTimeout").ToResourceRules))
	policy := s.Resource(kuma.Key{Type: "MeshTimeout", Mesh: "default", Name: "t"})
	for i, ref := range policy.ToRefs() {
		if got, want := s.IsDangling(*policy, ref), i == 1; got != want {
			t.Errorf("entry %d is dangling: %t, want %t", i, got, want)
		}
	}
}
