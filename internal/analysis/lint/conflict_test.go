package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestUnstableOrderOnSomeProxies checks that a cycle consists of policies that select
// the same proxy. It concerns the two policies of it whose order contradicts their names.
func TestUnstableOrderOnSomeProxies(t *testing.T) {
	t.Parallel()
	var docs []string
	for i := range 6 {
		docs = append(docs, fmt.Sprintf("{type: Dataplane, name: web-%d, labels: {app: %q}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}", i, []string{"web", "shop"}[i/5]))
		docs = append(docs, fmt.Sprintf("{type: MeshTimeout, name: c-%d, spec: {targetRef: {kind: Dataplane, name: web-%d}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 3s}}]}}", i, i))
	}
	docs = append(docs, `{type: Mesh, name: default}`,
		`{type: MeshTimeout, name: b, spec: {targetRef: {kind: Dataplane}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 2s}}]}}`,
		`{type: MeshTimeout, name: a, spec: {targetRef: {kind: Dataplane, labels: {app: web}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`)
	s := rules.NewSnapshot(testworld.Resources(t, strings.Join(docs, "\n---\n")))
	var got []string
	for _, f := range findingsOf("unstable-order", lint.Mesh(s, kuma.DefaultMesh)) {
		got = append(got, f.Code+" "+f.Resource.Name+": "+strings.Split(f.Message, ". ")[0])
	}
	want := []string{
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-0", which takes precedence for any destination on web-0`,
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-1", which takes precedence for any destination on web-1`,
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-2", which takes precedence for any destination on web-2`,
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-3", which takes precedence for any destination on web-3`,
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-4", which takes precedence for any destination on web-4`,
		`unstable-order c-5: idleTimeout is 3s here but 2s in MeshTimeout "b", which takes precedence for any destination on web-5`,
	}
	testworld.Equal(t, "findings", want, got)
}
