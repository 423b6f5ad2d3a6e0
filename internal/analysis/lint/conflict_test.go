package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestPoliciesThatTieCompletely checks policies with the same display name, which
// are ordered by their resource names, but only in a short list.
func TestPoliciesThatTieCompletely(t *testing.T) {
	t.Parallel()
	s := rules.NewSnapshot(testworld.Resources(t, `
type: Mesh
name: default
---
type: Dataplane
name: web-1
networking: {address: 10.0.0.1, inbound: [{port: 8080, tags: {kuma.io/service: web}}]}
---
type: MeshTimeout
name: t-1
labels: {kuma.io/display-name: t}
spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}
---
type: MeshTimeout
name: t-2
labels: {kuma.io/display-name: t}
spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 2s}}]}
`))
	want := `warning unstable-order: MeshTimeout "t-1" spec.to[0]
  idleTimeout is 1s here but 2s in MeshTimeout "t-2", which takes precedence for any destination on web-1. Adding, renaming or removing any policy can reverse this, because these policies override each other in a cycle or tie completely: MeshTimeout "t-1" and "t-2".
  Give the policies different display names.
`
	testworld.Equal(t, "findings", want, describe(findingsOf("unstable-order", lint.Mesh(s, kuma.DefaultMesh))))
}

// TestUnstableOrderOnSomeProxies checks that a cycle consists of policies that select
// the same proxy.
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
		`unstable-order a: idleTimeout is 1s here but 3s in MeshTimeout "c-0", which takes precedence for any destination on web-0`,
		`unstable-order a: idleTimeout is 1s here but 3s in MeshTimeout "c-1", which takes precedence for any destination on web-1`,
		`unstable-order a: idleTimeout is 1s here but 3s in MeshTimeout "c-2", which takes precedence for any destination on web-2`,
		`unstable-order a: idleTimeout is 1s here but 3s in MeshTimeout "c-3", which takes precedence for any destination on web-3`,
		`unstable-order a: idleTimeout is 1s here but 3s in MeshTimeout "c-4", which takes precedence for any destination on web-4`,
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-0", which takes precedence for any destination on web-0`,
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-1", which takes precedence for any destination on web-1`,
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-2", which takes precedence for any destination on web-2`,
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-3", which takes precedence for any destination on web-3`,
		`unstable-order b: idleTimeout is 2s here but 3s in MeshTimeout "c-4", which takes precedence for any destination on web-4`,
		`unstable-order c-5: idleTimeout is 3s here but 2s in MeshTimeout "b", which takes precedence for any destination on web-5`,
	}
	testworld.Equal(t, "findings", want, got)
}

// TestUnstableOrderThroughAnotherDestination checks a conflict in which policies
// for another destination complete a cycle, on one of three proxies.
func TestUnstableOrderThroughAnotherDestination(t *testing.T) {
	t.Parallel()
	docs := []string{`{type: Mesh, name: default}`}
	for i := range 3 {
		docs = append(docs, fmt.Sprintf("{type: Dataplane, name: web-%d, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}", i))
	}
	for _, service := range []string{"shop", "cart"} {
		docs = append(docs, fmt.Sprintf("{type: MeshService, name: %s, spec: {selector: {dataplaneTags: {kuma.io/service: %s}}, ports: [{port: 80}]}}", service, service))
	}
	for i, p := range []struct{ name, origin, ref, service string }{
		{"a", "zone", ", labels: {app: web}", "cart"},
		{"b", "zone", "", "shop"},
		{"c", "global", ", labels: {app: web}", "shop"},
		{"d", "global", "", "cart"},
		{"e", "global", ", name: web-1", "cart"},
	} {
		docs = append(docs, fmt.Sprintf("{type: MeshTimeout, name: %s, labels: {kuma.io/origin: %s}, spec: {targetRef: {kind: Dataplane%s}, to: [{targetRef: {kind: MeshService, name: %s}, default: {idleTimeout: %ds}}]}}", p.name, p.origin, p.ref, p.service, i))
	}
	s := rules.NewSnapshot(testworld.Resources(t, strings.Join(docs, "\n---\n")))
	var got []string
	for _, f := range findingsOf("unstable-order", lint.Mesh(s, kuma.DefaultMesh)) {
		if strings.Contains(f.Message, `"shop"`) {
			got = append(got, f.Message)
		}
	}
	want := []string{`idleTimeout is 2s here but 1s in MeshTimeout "b", which takes precedence for MeshService "shop" on web-1. Adding, renaming or removing any policy can reverse this, because these policies override each other in a cycle or tie completely: MeshTimeout "a", "b", "c", "d" and "e".`}
	testworld.Equal(t, "findings", want, got)
}

// TestConflictOfTwoFindings checks a conflict that names decide on one proxy, and a cycle
// on another one, where fewer of its fields differ. Both findings are computed at the same
// time; `make race` runs the test.
func TestConflictOfTwoFindings(t *testing.T) {
	t.Parallel()
	docs := []string{
		`{type: Mesh, name: default}`,
		`{type: Dataplane, name: a-1, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}`,
		`{type: Dataplane, name: b-1, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: shop}}]}}`,
	}
	for i, p := range []struct{ ref, conf string }{
		{", labels: {app: web}", "{connectionTimeout: 1s}"},
		{"", "{connectionTimeout: 2s, idleTimeout: 2s, http: {requestTimeout: 2s}}"},
		{"", "{connectionTimeout: 3s, idleTimeout: 3s, http: {requestTimeout: 3s}}"},
		{", name: a-1", "{connectionTimeout: 4s, http: {requestTimeout: 4s}}"},
	} {
		docs = append(docs, fmt.Sprintf("{type: MeshTimeout, name: t-%d, spec: {targetRef: {kind: Dataplane%s}, to: [{targetRef: {kind: Mesh}, default: %s}]}}", i, p.ref, p.conf))
	}
	findings := lint.Mesh(rules.NewSnapshot(testworld.Resources(t, strings.Join(docs, "\n---\n"))), kuma.DefaultMesh)
	for _, code := range []string{"decided-by-name", "unstable-order"} {
		found := describe(findingsOf(code, slices.Clone(findings)))
		if !strings.Contains(found, "connectionTimeout is 3s here but 2s in MeshTimeout \"t-1\"") || !strings.Contains(found, "The same applies to http.requestTimeout and idleTimeout.") {
			t.Errorf("%s:\n%s", code, found)
		}
	}
}
