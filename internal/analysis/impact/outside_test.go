package impact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTrafficToTheOutside checks that a change counts which no policy shows: whether transparent
// proxies let traffic through to destinations that do not belong to the mesh.
func TestTrafficToTheOutside(t *testing.T) {
	t.Parallel()
	const (
		mesh    = "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}\n---\n"
		closed  = "{type: Mesh, name: shop, meshServices: {mode: Exclusive}, networking: {outbound: {passthrough: false}}}\n---\n"
		proxies = `
{type: Dataplane, mesh: shop, name: web-1, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {}}}}
---
{type: Dataplane, mesh: shop, name: web-2, labels: {app: web}, networking: {address: 10.0.0.2, inbound: [{port: 80}], transparentProxying: {reachableBackends: {}}}}
---
`
		passthrough  = "{type: MeshPassthrough, mesh: shop, name: p, spec: {targetRef: {kind: Mesh}, default: {passthroughMode: %s}}}"
		kuma2, kuma3 = "2.14", "3.0"
		lost, gained = "web-1: outside true -> false", "web-1: outside false -> true"
	)
	all, none, matched := fmt.Sprintf(passthrough, "All"), fmt.Sprintf(passthrough, "None"), fmt.Sprintf(passthrough, "Matched, appendMatch: [{type: Domain, value: a.example, port: 443, protocol: tls}]")
	for name, test := range map[string]struct {
		before, after, releaseBefore, releaseAfter string
		want                                       []string
	}{
		"upgrade":                       {mesh + proxies, mesh + proxies, kuma2, kuma3, []string{lost}},
		"upgrade of a closed mesh":      {closed + proxies, closed + proxies, kuma2, kuma3, nil},
		"upgrade with a policy":         {mesh + proxies + all, mesh + proxies + all, kuma2, kuma3, nil},
		"upgrade with destinations":     {mesh + proxies + matched, mesh + proxies + matched, kuma2, kuma3, nil},
		"the setting of the Mesh":       {mesh + proxies, closed + proxies, kuma2, kuma2, []string{lost}},
		"the same on 3.0":               {mesh + proxies, closed + proxies, kuma3, kuma3, nil},
		"a policy that changes nothing": {mesh + proxies, mesh + proxies + all, kuma2, kuma2, nil},
		"a policy on 3.0":               {mesh + proxies, mesh + proxies + all, kuma3, kuma3, []string{gained}},
		"a policy that allows nothing":  {mesh + proxies, mesh + proxies + none, kuma2, kuma2, []string{lost}},
		"a policy that is removed":      {mesh + proxies + none, mesh + proxies, kuma2, kuma2, []string{gained}},
		"other values of a policy":      {mesh + proxies + all, mesh + proxies + none, kuma2, kuma2, nil}, // the setting shows it
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snapshot := func(documents, release string) *rules.Snapshot {
				return rules.NewSnapshotFor(kuma.ParseRelease(release), testworld.Resources(t, strings.TrimSuffix(documents, "---\n")))
			}
			found, err := impact.Compare(snapshot(test.before, test.releaseBefore), snapshot(test.after, test.releaseAfter), "shop")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range found.Rows() {
				if r.Type == kuma.KindDataplane {
					got = append(got, fmt.Sprintf("%s: %s %s -> %s", strings.Join(r.Dataplanes, ", "), r.Destination, value(r.Before), value(r.After)))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			const about = "- Dataplane, to destinations outside the mesh\n"
			if text := found.Summary(); strings.Contains(text, about) != (len(test.want) > 0) {
				t.Errorf("summary:\n%s", text)
			}
			rehearsed := test.releaseBefore != test.releaseAfter && len(test.want) > 0
			if text := found.Summary(); strings.Contains(text, "rehearses") != rehearsed {
				t.Errorf("the summary names a rehearsal: %t, want %t\n%s", !rehearsed, rehearsed, text)
			}
		})
	}
}
