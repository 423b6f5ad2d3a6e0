package answer_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestDescriptionsAreOfFields checks that every description is of a field. That every field has one
// is checked when a schema is built.
func TestDescriptionsAreOfFields(t *testing.T) {
	t.Parallel()
	fields := map[string]bool{}
	var collect func(t reflect.Type)
	collect = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return
		}
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields[t.Name()+"."+name] = true
			collect(f.Type)
		}
	}
	for _, root := range []any{answer.Access{}, answer.EffectiveRules{}, answer.AppliedImpact{}, answer.Lint{}, answer.Request{}, answer.RunningProxies{}, answer.Rollout{}, answer.ProxyConfig{}, answer.Resources{}} {
		collect(reflect.TypeOf(root))
	}
	owner := ""
	for line := range strings.SplitSeq(answer.Descriptions, "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			owner = heading
		}
		if name := regexp.MustCompile("^- `([a-z_0-9]+)`:").FindStringSubmatch(line); name != nil && !fields[owner+"."+name[1]] {
			t.Errorf("%s has no field %s", owner, name[1])
		}
	}
}

// TestAccessOfUnknownZone checks that what depends on a zone that no document names is neither
// allowed nor refused, and that the label of a Dataplane names it.
func TestAccessOfUnknownZone(t *testing.T) {
	t.Parallel()
	const documents = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: shop, name: web-1, labels: {kuma.io/workload: web ZONE}, networking: {address: 10.0.0.1, inbound: [{port: 80, name: http, protocol: http}], outbound: [{port: 1000, backendRef: {kind: MeshService, name: web, port: 80}}]}}
---
{type: MeshService, mesh: shop, name: web, spec: {selector: {dataplaneLabels: {matchLabels: {kuma.io/workload: web}}}, ports: [{port: 80, targetPort: 80}]}}
---
type: MeshIdentity
mesh: shop
name: identity
spec: {selector: {dataplane: {matchLabels: {}}}, provider: {type: Bundled, bundled: {meshTrustCreation: Enabled, insecureAllowSelfSigned: true, autogenerate: {enabled: true}}}}
---
type: MeshTrafficPermission
mesh: shop
name: east
spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://shop.east.mesh.local"}}]}}]}
`
	for zone, want := range map[string]answer.AccessCounts{"": {Undecided: 1}, ", kuma.io/zone: east": {Allowed: 1}, ", kuma.io/zone: west": {Refused: 1}} {
		read := input.OfKinds(kinds.All())
		testworld.NoError(t, read.Text([]byte(strings.Replace(documents, " ZONE", zone, 1))))
		got, err := answer.OfAccess(read.Mesh("shop", kuma.Release{}), access.Filter{}, true)
		testworld.NoError(t, err)
		if diff := cmp.Diff(want, got.Counts); diff != "" {
			t.Errorf("%q: counts (-want +got):\n%s", zone, diff)
		}
		text := got.Matrix + got.Summary + got.Access[0].Reason
		if strings.Contains(text, "template") || zone == "" && !strings.Contains(text, "set the label kuma.io/zone") {
			t.Errorf("%q: %s, want the label to set", zone, text)
		}
		if _, ok := tree.Object(tree.Of(got))["summary"].(string); !ok {
			t.Error("the answer has no summary")
		}
	}
}

// TestPoliciesWithoutEffectAreBounded checks that an impact lists some of the policies without effect, unless it is
// to be complete, and counts all of them.
func TestPoliciesWithoutEffectAreBounded(t *testing.T) {
	t.Parallel()
	before := "{type: Mesh, name: default, meshServices: {mode: Exclusive}}"
	after := before
	for i := range answer.MaxRows + 1 {
		after += fmt.Sprintf("\n---\n{type: MeshTimeout, name: t-%d, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}", i)
	}
	mesh := func(text string) input.Mesh {
		return input.Mesh{Name: "default", Release: kuma.Newest2(), Resources: testworld.Resources(t, text)}
	}
	for complete, want := range map[bool]int{false: answer.MaxRows, true: answer.MaxRows + 1} {
		i, err := answer.OfImpact(mesh(before), mesh(after), nil, complete)
		testworld.NoError(t, err)
		if len(i.WithoutEffect) != want || i.Counts.WithoutEffect != answer.MaxRows+1 {
			t.Errorf("%d of %d policies without effect, want %d of %d", len(i.WithoutEffect), i.Counts.WithoutEffect, want, answer.MaxRows+1)
		}
	}
}
