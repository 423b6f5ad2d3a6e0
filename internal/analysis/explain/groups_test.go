package explain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTextOfGroupsIsBounded checks that groups after 400 lines are counted, together
// with those that were not added.
func TestTextOfGroupsIsBounded(t *testing.T) {
	t.Parallel()
	documents := []string{"{type: Mesh, name: default}", "{type: Dataplane, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}"}
	for i := range 150 {
		documents = append(documents,
			fmt.Sprintf("{type: MeshService, name: s%d, spec: {ports: [{port: 80}]}}", i),
			fmt.Sprintf("{type: MeshTimeout, name: s%d, spec: {to: [{targetRef: {kind: MeshService, name: s%d}, default: {idleTimeout: 1s}}]}}", i, i))
	}
	answer, err := rules.NewSnapshot(testworld.Resources(t, documents...)).Dataplane(kuma.DefaultMesh, "web-1", "MeshTimeout")
	if err != nil {
		t.Fatal(err)
	}
	var groups explain.Groups
	for range 5 {
		groups.Add([]string{"web-1", "web-2", "web-3", "web-4", "web-5"}, answer)
	}
	got := groups.Text(7)
	if n := strings.Count(got, "5 proxies: web-1, web-2, web-3 and 2 more\n  MeshTimeout\n    to MeshService"); n != 2 {
		t.Errorf("text describes %d groups, want 2:\n%s", n, got)
	}
	if want := "\n\nand 10 more groups of proxies"; !strings.HasSuffix(got, want) {
		t.Errorf("text ends in %q, want %q", got[len(got)-40:], want)
	}
	var none explain.Groups
	if got, want := none.Text(0), "No proxies match."; got != want {
		t.Errorf("text about no groups: got %q, want %q", got, want)
	}
}
