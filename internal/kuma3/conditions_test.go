package kuma3_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// conditionCase contains a document to which a condition applies, the path of the
// problem, and a similar document that is ready.
type conditionCase struct {
	at             string
	unready, ready map[string]any
}

// conditionCases reads testdata/conditions.yaml.
func conditionCases(t *testing.T) map[string][]conditionCase {
	t.Helper()
	cases := map[string][]conditionCase{}
	for id, list := range testworld.Document(t, testworld.Text(t, "testdata/conditions.yaml")) {
		for _, c := range list.([]any) {
			m := c.(map[string]any)
			cases[id] = append(cases[id], conditionCase{m["at"].(string), m["unready"].(map[string]any), m["ready"].(map[string]any)})
		}
	}
	return cases
}

func timeoutTo(ref string) string {
	return `{type: MeshTimeout, name: t, spec: {to: [{targetRef: {` + ref + `}, default: {http: {requestTimeout: 1s}}}]}}`
}

func sentTo(backend string) string {
	return `{type: MeshTCPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {a: b}}, rules: [{default: {backendRefs: [` + backend + `]}}]}]}}`
}

// rejectedNow lists the conditions on documents that 2.14 also rejects.
var rejectedNow = []string{"K3-024"}

func TestConditionsOnExamples(t *testing.T) {
	t.Parallel()
	for id, cases := range conditionCases(t) {
		for i, c := range cases {
			t.Run(fmt.Sprintf("%s/%d", id, i), func(t *testing.T) {
				t.Parallel()
				if got := unready(t, c.unready)[id]; !slices.Contains(got, c.at) || len(got) != 1 {
					t.Errorf("found at %q, want it once at %q, in %v", got, c.at, c.unready)
				}
				if got := unready(t, c.ready)[id]; got != nil {
					t.Errorf("found at %q in %v", got, c.ready)
				}
				for _, doc := range []map[string]any{c.unready, c.ready} {
					k, described := kinds.Find(doc["type"].(string))
					if errs := def.Errors(k.Validate(doc)); described && len(errs) > 0 && !slices.Contains(rejectedNow, id) {
						t.Errorf("2.14 rejects the example: %+v", errs)
					}
				}
			})
		}
	}
}

// unready returns the paths of what is found in a document, by condition.
func unready(t *testing.T, document map[string]any) map[string][]string {
	t.Helper()
	r := testworld.FromDocument(t, document)
	out := map[string][]string{}
	for _, u := range kuma3.Check(r) {
		out[u.ID] = append(out[u.ID], u.Path.String())
	}
	return out
}

// TestConditions expects a case for each condition on a single document, and the texts that
// the documentation shows.
func TestConditions(t *testing.T) {
	t.Parallel()
	conditions := kuma3.Conditions()
	if !slices.IsSortedFunc(conditions, kuma3.Condition.Compare) {
		t.Error("the conditions are not in order")
	}
	cases := conditionCases(t)
	for _, c := range conditions {
		if alone := len(c.Paths) > 0; alone != (len(cases[c.ID]) > 0) {
			t.Errorf("%s is found in a single document: %t, but has %d cases", c.ID, alone, len(cases[c.ID]))
		}
		if !strings.HasSuffix(c.Doc, ".") || !strings.HasSuffix(c.Suggestion(), ".") {
			t.Errorf("%s: what is found and what to do are full sentences: %q, %q", c.ID, c.Doc, c.Suggestion())
		}
	}
	known := map[string]bool{}
	for _, c := range conditions {
		if known[c.ID] {
			t.Errorf("%s is declared twice", c.ID)
		}
		known[c.ID] = true
		for _, p := range c.Paths {
			if !slices.Contains(kindNames(), p.Kind) {
				t.Errorf("%s is about %q, which is not a kind", c.ID, p.Kind)
			}
		}
	}
	for id := range cases {
		if !known[id] {
			t.Errorf("there is no condition %s", id)
		}
	}
}

// TestLabelsOfAllKinds checks that conditions on labels do not say what replaces the kinds that Kuma 3.0
// removes, whose labels do not matter.
func TestLabelsOfAllKinds(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"K3-210", "K3-212", "K3-213"} {
		c, _ := kuma3.Find(id)
		if c.Outcome() != kuma3.Rejected || c.Suggestion() != c.Do {
			t.Errorf("%s: outcome %q, %q; want rejected, %q", id, c.Outcome(), c.Suggestion(), c.Do)
		}
	}
	if found := kuma3.Check(testworld.Resource(t, `{type: MeshGateway, name: a, labels: {kuma.io/service: web}}`)); len(found) != 1 || found[0].ID != "K3-100" {
		t.Errorf("of a removed kind: %+v, want only K3-100", found)
	}
}

func kindNames() []string {
	var names []string
	for _, k := range append(kinds.All(), kinds.Older()...) {
		names = append(names, k.Name)
	}
	return names
}

func TestRemovedKinds(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.Older() {
		_, ok := kinds.Find(k.Name)
		if found := kuma3.Check(kuma.Resource{Type: k.Name, Name: "a"}); ok || k.Path == "" || len(found) != 1 || strings.Contains(found[0].Suggestion(), "  ") {
			t.Errorf("%s (path %q) is described, or nothing is known about it: %+v", k.Name, k.Path, found)
		}
	}
	if got := kuma3.Check(kuma.Resource{Type: "MeshNothing", Name: "n"}); got != nil {
		t.Errorf("Check(MeshNothing) = %v, want nothing", got)
	}
}

// TestReplacements checks the suggestions that follow from the document.
func TestReplacements(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ id, document, want string }{
		"name":               {"K3-020", timeoutTo(`kind: MeshService, name: web`), "Here: labels {kuma.io/display-name: web}."},
		"name and namespace": {"K3-020", timeoutTo(`kind: MeshService, name: web, namespace: shop`), "Here: labels {kuma.io/display-name: web, k8s.kuma.io/namespace: shop}."},
		"legacy service":     {"K3-021", timeoutTo(`kind: MeshService, name: web_shop_svc_80`), "Here: labels {kuma.io/display-name: web, k8s.kuma.io/namespace: shop} and the port with number 80."},
		"no port":            {"K3-021", timeoutTo(`kind: MeshService, name: web_shop_svc`), "Here: labels {kuma.io/display-name: web, k8s.kuma.io/namespace: shop}."},
		"backend":            {"K3-041", sentTo(`{kind: MeshService, name: web}`), "Here: labels {kuma.io/display-name: web}."},
		"older kind":         {"K3-102", `{type: Timeout, name: t}`, "Use MeshTimeout. Create it, as upgrade_documents does where a policy has the same effect, then delete this resource."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testworld.Resource(t, tt.document)
			for _, u := range kuma3.Check(r) {
				if u.ID == tt.id && strings.HasSuffix(strings.TrimSpace(u.Suggestion()+" "+u.Here), tt.want) {
					return
				}
			}
			t.Errorf("no %s with a suggestion that ends in %q", tt.id, tt.want)
		})
	}
}

// TestCheckOfStored checks that the identities in a stored service, which the
// control plane sets, are not reported.
func TestCheckOfStored(t *testing.T) {
	t.Parallel()
	r := testworld.FromDocument(t, conditionCases(t)["K3-061"][0].unready)
	r.CreationTime = time.Unix(1, 0)
	if got := kuma3.Check(r); len(got) != 0 {
		t.Errorf("Check of a stored MeshService = %+v, want nothing", got)
	}
}

// TestRoleFromNamespace checks that the labels of a document that was read from the format of Kubernetes
// are not all to be removed: the document has a namespace, and no role.
func TestRoleFromNamespace(t *testing.T) {
	t.Parallel()
	const spec = "spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}"
	for document, want := range map[string]string{
		"{apiVersion: kuma.io/v1alpha1, kind: MeshTimeout, metadata: {name: a, namespace: shop}, " + spec + "}":            `[labels["k8s.kuma.io/namespace"]]`,
		"{type: MeshTimeout, name: a, labels: {kuma.io/policy-role: consumer}, " + spec + "}":                              `[labels["kuma.io/policy-role"]]`,
		"{type: MeshTimeout, name: a, labels: {kuma.io/policy-role: producer, k8s.kuma.io/namespace: shop}, " + spec + "}": `[labels["k8s.kuma.io/namespace"] labels["kuma.io/policy-role"]]`,
	} {
		var found []string
		for _, p := range kuma3.Check(testworld.Resource(t, document)) {
			found = append(found, p.Path.String())
		}
		if got := fmt.Sprint(found); got != want {
			t.Errorf("%s: %s, want %s", document, got, want)
		}
	}
}

// TestCheckOfAnything checks that no document causes a panic, and that unknown
// values cause no findings.
func TestCheckOfAnything(t *testing.T) {
	t.Parallel()
	others := []any{"x", "", true, false, json.Number("1e400"), []any{nil, "x", map[string]any{}}, map[string]any{"x": nil, "kind": json.Number("1")}}
	for _, file := range testworld.Files(t, "../kinds/testdata/catalog/*/*.yaml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			tried := 0
			for _, doc := range testworld.Documents(t, testworld.Text(t, file)) {
				r, err := kuma.FromDocument(doc, kinds.Form)
				if err != nil {
					continue // not a resource, and rejected earlier
				}
				found := at(kuma3.Check(r))
				replaceEach(r.Body, nil, tree.Unknown, func(path tree.Path) {
					if tried++; !testworld.Runs(tried) {
						return
					}
					for _, u := range at(kuma3.Check(r)) {
						if !slices.Contains(found, u) {
							t.Errorf("with an unknown %s: %s", path, u)
						}
					}
				})
				for _, other := range others {
					replaceEach(r.Body, nil, other, func(tree.Path) {
						if tried++; testworld.Runs(tried) {
							kuma3.Check(r)
						}
					})
				}
			}
		})
	}
}

func at(found []kuma3.Problem) []string {
	var out []string
	for _, u := range found {
		out = append(out, u.ID+" at "+u.Path.String())
	}
	return out
}

// replaceEach replaces each value below v in turn, leaves and others, and calls visit
// each time.
func replaceEach(v any, at tree.Path, other any, visit func(at tree.Path)) {
	try := func(step, old any, put func(any)) {
		replaceEach(old, at.Child(step), other, visit)
		put(other)
		visit(at.Child(step))
		put(old)
	}
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			try(key, value, func(x any) { v[key] = x })
		}
	case []any:
		for i, value := range v {
			try(i, value, func(x any) { v[i] = x })
		}
	}
}

// TestCheckOfInitialPolicies lists the problems of the policies that a control plane
// 2.14 creates.
func TestCheckOfInitialPolicies(t *testing.T) {
	t.Parallel()
	var got []string
	for _, r := range kinds.Initial(kuma.Resource{Type: kuma.KindMesh, Name: "shop"}, kuma.Newest2()) {
		for _, u := range kuma3.Check(r) {
			got = append(got, fmt.Sprintf("%s: %s at %s", r.Name, u.ID, u.Path))
		}
	}
	want := []string{
		"mesh-timeout-all-shop: K3-031 at spec.from",
		"mesh-timeout-all-shop: K3-008 at spec.targetRef.proxyTypes",
		"mesh-gateways-timeout-all-shop: K3-031 at spec.from",
		"mesh-gateways-timeout-all-shop: K3-111 at spec.targetRef.proxyTypes",
	}
	testworld.Equal(t, "in the policies of a new mesh", want, got)
}
