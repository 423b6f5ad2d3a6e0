package kinds_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestSectionBesideLabels checks that a section of a service that is selected by labels is
// a problem on releases before 2.10, wherever they check references (versions.md §4).
func TestSectionBesideLabels(t *testing.T) {
	t.Parallel()
	ref := func(kind string) string { return "{kind: " + kind + ", labels: {app: x}, sectionName: http}" }
	for name, test := range map[string]struct {
		kind def.Kind
		spec string
		want []string
	}{
		"to":           {kinds.MeshTimeout, "{to: [{targetRef: " + ref("MeshService") + "}]}", []string{"spec.to[0].targetRef.sectionName"}},
		"top":          {kinds.MeshTimeout, "{targetRef: " + ref("MeshService") + "}", []string{"spec.targetRef.sectionName"}},
		"backend":      {kinds.MeshTCPRoute, "{to: [{rules: [{default: {backendRefs: [" + ref("MeshService") + "]}}]}]}", []string{"spec.to[0].rules[0].default.backendRefs[0].sectionName"}},
		"mirror":       {kinds.MeshHTTPRoute, "{to: [{rules: [{default: {filters: [{type: RequestMirror, requestMirror: {backendRef: " + ref("MeshService") + "}}]}}]}]}", []string{"spec.to[0].rules[0].default.filters[0].requestMirror.backendRef.sectionName"}},
		"unchecked":    {kinds.MeshTimeout, "{to: [{targetRef: " + ref("MeshMultiZoneService") + "}]}", nil},
		"empty":        {kinds.MeshTimeout, "{to: [{targetRef: {kind: MeshService, labels: {app: x}, sectionName: ''}}]}", nil},
		"empty labels": {kinds.MeshTimeout, "{to: [{targetRef: {kind: MeshService, name: a, labels: {}, sectionName: http}}]}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, "type: "+test.kind.Name+"\nname: x\nspec: "+test.spec)
			for version, want := range map[string][]string{"2.9.0": test.want, "2.11.18": nil, "2.14.3": nil} {
				var got []string
				for _, p := range test.kind.ValidateRelease(doc, kuma.ParseRelease(version)) {
					got = append(got, p.Path.String())
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("problems on %s (-want +got):\n%s", version, diff)
				}
			}
		})
	}
}

// TestProtocolsByRelease checks which protocols only some releases accept (versions.md §4).
func TestProtocolsByRelease(t *testing.T) {
	t.Parallel()
	const (
		inbound  = "{type: Dataplane, name: a, networking: {address: 10.0.0.1, inbound: [{port: 80, "
		services = "{type: MeshMultiZoneService, name: a, spec: {selector: {meshService: {matchLabels: {a: b}}}, ports: [{port: 1, appProtocol: "
	)
	for name, test := range map[string]struct{ document, at, accepted, rejected string }{
		"inbound":           {inbound + "protocol: kafka}]}}", "networking.inbound[0].protocol", "2.14.3", "3.0.1"},
		"inbound, any case": {inbound + "protocol: KAFKA}]}}", "networking.inbound[0].protocol", "2.14.3", "3.0.1"},
		"tag":               {inbound + "tags: {kuma.io/service: a, kuma.io/protocol: MySQL}}]}}", `networking.inbound[0].tags["kuma.io/protocol"]`, "2.11.18", "2.9.0"},
		"service":           {"{type: MeshService, name: a, spec: {selector: {dataplaneRef: {name: a}}, ports: [{port: 80, appProtocol: KAFKA}]}}", "spec.ports[0].appProtocol", "2.14.3", "3.0.1"},
		"services":          {services + "kafka}]}}", "spec.ports[0].appProtocol", "2.14.3", "3.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, test.document)
			for release, want := range map[string][]string{test.accepted: {}, test.rejected: {test.at}} {
				if got := paths(kind(t, doc).ValidateRelease(doc, kuma.ParseRelease(release))); !slices.Equal(got, want) {
					t.Errorf("%s: problems at %q, want %q", release, got, want)
				}
			}
		})
	}
}

// TestWeightByRelease checks the largest weight of a destination.
func TestWeightByRelease(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		weight, release string
		valid           bool
	}{
		{"4294967295", "3.0", true},
		{"4294967296", "3.0", false},
		{"9007199254740991", "2.14", true},
		{"9007199254740992", "2.14", false},
		{"9223372036854775807", "2.14", false},
	} {
		doc := testworld.Document(t, "{type: MeshTCPRoute, mesh: shop, name: a, spec: {to: [{targetRef: {kind: MeshService, labels: {app: a}}, rules: [{default: {backendRefs: [{kind: MeshService, labels: {app: b}, port: 80, weight: "+tt.weight+"}]}}]}]}}")
		problems := def.Errors(kinds.MeshTCPRoute.ValidateIn(doc, kuma.ParseRelease(tt.release)))
		if valid := len(problems) == 0; valid != tt.valid {
			t.Errorf("Kuma %s, weight %s: %+v", tt.release, tt.weight, problems)
		}
	}
}
