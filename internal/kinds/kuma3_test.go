package kinds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestEverythingThatKuma3Removed writes each kind, field and value that Kuma 3.0 removed to both
// major releases: only Kuma 3.0 rejects it, on its path, and says what to do. [TestSchemas] and
// [TestFields] compare what was removed with schemas and a control plane.
func TestEverythingThatKuma3Removed(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, k := range kinds.All() {
		for _, removed := range removedIn3(k) {
			tried++
			place, value, _ := strings.Cut(removed, "=")
			doc := map[string]any{"type": k.Name, "name": "a"}
			want := ""
			if place != "" {
				want = strings.ReplaceAll(place, "[]", "[0]")
				setAt(doc, k.Root(), strings.Split(place, "."), value)
			}
			rejects := func(release string) bool {
				return slices.ContainsFunc(k.ValidateRelease(doc, kuma.ParseRelease(release)), func(p def.Problem) bool {
					return p.Path.String() == want && !p.Warning && strings.Contains(p.Detail, "Kuma 3.0 removed") && strings.HasSuffix(p.Detail, ".")
				})
			}
			if !rejects("3.0.1") || rejects("2.14.6") {
				t.Errorf("%s: %s: rejected by 3.0.1: %t, by 2.14.6: %t", k.Name, removed, rejects("3.0.1"), rejects("2.14.6"))
			}
		}
	}
	if tried < 263 {
		t.Errorf("only %d places tried", tried)
	}
}

// TestStatedOfKuma3 warns of what the preview of Kuma 3.0 stores without effect and Kuma 3.0.1 is
// stated to reject, and only there.
func TestStatedOfKuma3(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{type: MeshLoadBalancingStrategy, mesh: default, name: a, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {crossZone: {failover: [{to: {type: Any}}]}}}}]}}`:                                                                                                                   "spec.to[0].default.localityAwareness.crossZone: crossZone needs a MeshMultiZoneService",
		`{type: MeshLoadBalancingStrategy, mesh: default, name: a, spec: {to: [{targetRef: {kind: MeshMultiZoneService, labels: {a: b}}, default: {localityAwareness: {crossZone: {failover: [{to: {type: Any}}]}}}}]}}`:                                                                                   "",
		`{type: MeshPassthrough, mesh: default, name: a, spec: {default: {passthroughMode: Matched, appendMatch: [{type: Domain, value: httpbin.org, protocol: tls}]}}}`:                                                                                                                                   "spec.default.appendMatch[0].port: Missing port",
		`{type: MeshPassthrough, mesh: default, name: a, spec: {default: {passthroughMode: Matched, appendMatch: [{type: Domain, value: httpbin.org, protocol: tls, port: 443}, {type: Domain, value: "*.a.org", protocol: tls}]}}}`:                                                                       "",
		`{type: MeshHTTPRoute, mesh: default, name: a, spec: {to: [{targetRef: {kind: MeshService, labels: {a: b}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshExternalService, labels: {a: b}}}}]}}]}]}}`: "",
	} {
		r := testworld.Resource(t, document)
		k, _ := kinds.Find(r.Type)
		found := func(release string) string {
			var all []string
			for _, p := range append(k.ValidateIn(r.Document(), kuma.ParseRelease(release)), k.ValidateDesign(r.Document(), kuma.ParseRelease(release))...) {
				all = append(all, p.Path.String()+": "+p.Summary)
			}
			return strings.Join(all, "\n")
		}
		if got := found("3.0.1"); got != want {
			t.Errorf("%s\n3.0.1: %q, want %q", document, got, want)
		}
		if want != "" && found("2.14.3") != "" {
			t.Errorf("%s\n2.14.3: %q", document, found("2.14.3"))
		}
	}
}

// removedIn3 returns the places of a kind that 2.14 has and 3.0 does not: an empty path for the kind
// itself, or outer fields without inner ones, and values as path=value.
func removedIn3(k def.Kind) []string {
	before, after := kuma.Newest2(), kuma.Release{Major: 3}
	if !k.In(after) {
		return []string{""}
	}
	var removed []string
	for _, f := range testworld.DeclaredFields(k) {
		switch {
		case slices.ContainsFunc(f.Around, func(outer def.Field) bool { return !outer.In(after) }):
		case !f.Field.In(after):
			removed = append(removed, f.Path)
		default:
			path := f.Path
			if _, ok := f.Type.(def.List); ok {
				path += "[]"
			}
			for _, v := range f.ValuesIn(before) {
				if !slices.Contains(f.ValuesIn(after), v) {
					removed = append(removed, path+"="+v)
				}
			}
		}
	}
	return removed
}

// setAt sets a value in a document, or a sample if it is empty; steps to lists end in "[]".
func setAt(m map[string]any, o def.Object, steps []string, value string) {
	name, isList := strings.CutSuffix(steps[0], "[]")
	f, _ := o.Field(name)
	var v any
	switch inner := def.ObjectOf(f.Type); {
	case len(steps) > 1:
		child := map[string]any{}
		setAt(child, inner, steps[1:], value)
		v = child
	case value != "":
		v = value
	case inner != nil || f.Type == def.Type(def.StringMap{}):
		v = map[string]any{"a": "b"}
	default:
		v = "a"
	}
	if _, ok := f.Type.(def.List); ok || isList {
		v = []any{v}
	}
	m[name] = v
}
