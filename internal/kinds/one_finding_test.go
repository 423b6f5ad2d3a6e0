package kinds_test

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOneFindingForOneMistake checks that a document for Kuma 3.0 has one problem for each
// mistake, on the field that has to change: those of 2.x about the same place, or about
// what 3.0 removed, are not repeated.
func TestOneFindingForOneMistake(t *testing.T) {
	t.Parallel()
	outbound := func(fields string) string {
		return "{type: Dataplane, mesh: default, name: a, networking: {address: 10.0.0.1, outbound: [{port: 80, " + fields + "}]}}"
	}
	timeout := func(ref string) string {
		return "{type: MeshTimeout, mesh: default, name: a, spec: {to: [{targetRef: " + ref + ", default: {idleTimeout: 1s}}]}}"
	}
	const out, ref = "networking.outbound[0].", "spec.to[0].targetRef."
	for name, test := range map[string]struct {
		document string
		want     []string
	}{
		"outbound by tags":            {outbound("tags: {kuma.io/service: web}"), []string{out + "tags"}},
		"outbound to nothing":         {outbound("address: 127.0.0.1"), []string{out + "backendRef"}},
		"outbound by tags, too":       {outbound("tags: {kuma.io/service: web}, backendRef: {kind: MeshService, labels: {a: b}, port: 80}"), []string{out + "tags"}},
		"empty backendRef":            {outbound("backendRef: {}"), []string{out + "backendRef", out + "backendRef.kind", out + "backendRef.port"}},
		"neither name nor labels":     {timeout("{kind: MeshService}"), []string{ref + "labels"}},
		"empty labels":                {timeout("{kind: MeshService, labels: {}}"), []string{ref + "labels"}},
		"name":                        {timeout("{kind: MeshService, name: a}"), []string{ref + "name"}},
		"name and labels":             {timeout("{kind: MeshService, name: a, labels: {a: b}}"), []string{ref + "name"}},
		"name of services everywhere": {timeout("{kind: MeshMultiZoneService, name: a}"), []string{ref + "name"}},
		"removed kind":                {timeout("{kind: MeshServiceSubset}"), []string{ref + "kind"}},
		"removed kind with its tags":  {timeout("{kind: MeshServiceSubset, name: a, tags: {a: b}}"), []string{ref + "kind"}},
		"from":                        {"{type: MeshTimeout, mesh: default, name: a, spec: {from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}", []string{"spec.from"}},
		"old certificate":             {"{type: MeshExternalService, mesh: default, name: a, spec: {match: {port: 80}, tls: {verification: {caCert: {inline: YQ==}}}}}", []string{"spec.tls.verification.caCert.inline"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, test.document)
			if got := paths(kind(t, doc).ValidateIn(doc, kuma.ParseRelease("3.0.1"))); !slices.Equal(got, test.want) {
				t.Errorf("problems at %q, want %q", got, test.want)
			}
		})
	}
}
