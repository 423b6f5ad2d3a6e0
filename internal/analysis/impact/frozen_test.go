package impact_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestChangeFreezesProxies checks that a change which keeps the control plane from generating
// the configuration of proxies is an effect of it, although no value changes.
func TestChangeFreezesProxies(t *testing.T) {
	t.Parallel()
	world := testworld.Text(t, "../../command/testdata/cases/mirror-tcp.yaml")
	mesh, route, found := strings.Cut(world, "---\ntype: MeshHTTPRoute")
	if !found {
		t.Fatal("the world has no route")
	}
	route = "---\ntype: MeshHTTPRoute" + route
	for name, test := range map[string]struct {
		before, after, want string
	}{
		"by a route": {mesh, mesh + route, `caddy-1 can no longer be configured, because`},
		"before":     {mesh + route, mesh + route, ""},
		"no longer":  {mesh + route, mesh, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := rules.NewSnapshot(testworld.Resources(t, test.before)), rules.NewSnapshot(testworld.Resources(t, test.after))
			got, err := impact.Compare(before, after, "ol4")
			if err != nil {
				t.Fatal(err)
			}
			if summary := got.Summary(); strings.Contains(summary, "can no longer be configured") != (test.want != "") || !strings.Contains(summary, test.want) {
				t.Errorf("summary lacks %q, or contains it without a reason:\n%s", test.want, summary)
			}
			if want := test.want != ""; (len(got.Frozen) > 0) != want {
				t.Errorf("frozen = %v", got.Frozen)
			}
		})
	}
}
