package impact

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestCompareLists(t *testing.T) {
	t.Parallel()
	list := func(text string) []any { return tree.List(testworld.Document(t, "list: "+text)["list"]) }
	for name, tt := range map[string]struct{ before, after, want string }{
		"added":         {"[a, c]", "[a, b, c, d]", "adds `b` and `d`"},
		"removed":       {"[a, b, c]", "[b]", "removes `a` and `c`"},
		"order":         {"[a, b, c, d]", "[b, c, d, a]", "other order"},
		"repeated":      {"[a, b]", "[a, b, a]", "adds `a`"},
		"repeated less": {"[a, b, a]", "[a, b]", "removes `a`"},
		"many":          {"[a]", "[a, b, c, d, e, f]", "adds `b`, `c`, `d` and 2 more"},
		"replaced":      {"[a, b]", "[b, c]", "changes `[1]` from `a` to `c`"},
		"both":          {"[a, b]", "[b, c, d]", "adds `c` and `d`; removes `a`"},
		"field": {
			`[{kind: MeshService, name: stable, weight: 90}, {kind: MeshService, name: canary, weight: 10}]`,
			`[{kind: MeshService, name: stable, weight: 0}, {kind: MeshService, name: canary, weight: 100}]`,
			"changes `[0].weight` from `90` to `0` and `[1].weight` from `10` to `100`",
		},
		"list in an element": {
			`[{kind: a, refs: [{name: a, weight: 1}, {name: b}]}]`, `[{kind: a, refs: [{name: a, weight: 1}]}]`,
			"changes `[0].refs` (removes `{\"name\":\"b\"}`)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was, is := &Value{JSON: phrase.JSON(list(tt.before))}, &Value{JSON: phrase.JSON(list(tt.after))}
			testworld.Equal(t, "change", tt.want, place{}.change(was, is))
		})
	}
}

// TestDifferencesAreShown checks that the words about a change show what differs, even if
// the values are long, and name elements as users know them.
func TestDifferencesAreShown(t *testing.T) {
	t.Parallel()
	const domain = "spiffe://a-very-long-trust-domain-of-a-zone.shop.mesh.local/workload/"
	for name, tt := range map[string]struct {
		kind, path    string
		before, after string // YAML
		want          string
	}{
		"misspelled client": {
			"MeshTrafficPermission", "allow",
			`[{spiffeID: {type: Exact, value: "` + domain + `storefront"}}, {spiffeID: {type: Exact, value: "` + domain + `batch"}}]`,
			`[{spiffeID: {type: Exact, value: "` + domain + `batch"}}, {spiffeID: {type: Exact, value: "` + domain + `storefrnt"}}]`,
			"allowed clients: + `…g-trust-domain-of-a-zone.shop.mesh.local/workload/storefrnt`, − `…-trust-domain-of-a-zone.shop.mesh.local/workload/storefront`",
		},
		"prefix and SNI": {
			"MeshTrafficPermission", "deny",
			`[]`, `[{spiffeID: {type: Prefix, value: "spiffe://shop/ns/a"}, sni: {type: Exact, value: a.example}}]`,
			"denied clients: + `spiffe://shop/ns/a* with SNI a.example`",
		},
		"canary": {
			"MeshHTTPRoute", "rules[0].default.backendRefs",
			`[{kind: MeshService, name: checkout-stable, port: 80, weight: 90}, {kind: MeshService, name: checkout-canary, port: 80, weight: 10}]`,
			`[{kind: MeshService, name: checkout-stable, port: 80, weight: 50}, {kind: MeshService, name: checkout-canary, port: 80, weight: 50}]`,
			"`path prefix /api and method GET or path /`, destinations: `checkout-stable` weight 90 → 50, `checkout-canary` weight 10 → 50",
		},
		"canary of subsets": {
			"MeshHTTPRoute", "rules[0].default.backendRefs",
			`[{kind: MeshServiceSubset, name: checkout, tags: {version: "1"}, weight: 1}]`,
			`[{kind: MeshServiceSubset, name: checkout, tags: {version: "2"}, weight: 1}]`,
			"`path prefix /api and method GET or path /`, destinations: + `checkout with version=2`, − `checkout with version=1`",
		},
		"two ports": {
			"MeshHTTPRoute", "rules[0].default.backendRefs",
			`[{kind: MeshService, name: checkout, port: 80, weight: 1}]`,
			`[{kind: MeshService, name: checkout, port: 81, weight: 1}]`,
			"`path prefix /api and method GET or path /`, destinations: + `checkout, port 81`, − `checkout, port 80`",
		},
		"TCP": {
			"MeshTCPRoute", "rules",
			`[{default: {backendRefs: [{kind: MeshService, name: a, port: 80, weight: 90}, {kind: MeshService, name: b, port: 80, weight: 10}]}}]`,
			`[{default: {backendRefs: [{kind: MeshService, name: a, port: 80, weight: 80}, {kind: MeshService, name: b, port: 80, weight: 20}]}}]`,
			"`rules`: changes `[0].default.backendRefs` (`a` weight 90 → 80, `b` weight 10 → 20)",
		},
		"long string": {
			"MeshAccessLog", "backends[0].file.format.plain", `{x: ` + strings.Repeat("a", 200) + `1}`, `{x: ` + strings.Repeat("a", 200) + `2}`,
			"`backends[0].file.format.plain`: `…" + strings.Repeat("a", 116) + "1\"}` → `…" + strings.Repeat("a", 116) + "2\"}`",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, _ := kinds.Find(tt.kind)
			path := parsePath(tt.path)
			value := func(text string) *Value {
				return &Value{JSON: phrase.JSON(testworld.Document(t, "v: "+text)["v"])}
			}
			conf := testworld.Document(t, `rules: [{matches: [{path: {type: PathPrefix, value: /api}, method: GET}, {path: {type: Exact, value: /}}]}]`)
			p := routeListsOf(k).place(flatValue{Setting: rules.Setting{Path: path}, path: tt.path, conf: conf})
			testworld.Equal(t, "change", tt.want, p.text+": "+p.change(value(tt.before), value(tt.after)))
		})
	}
}

func parsePath(text string) tree.Path {
	var path tree.Path
	for step := range strings.SplitSeq(strings.ReplaceAll(text, "[0]", ".0"), ".") {
		if step == "0" {
			path = append(path, 0)
			continue
		}
		path = append(path, step)
	}
	return path
}
