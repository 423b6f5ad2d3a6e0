package rules_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// largest limits the inputs of fuzzing: the number of legacy rules doubles with
// every tag, which makes large inputs slow without finding more.
const largest = 8 << 10

// FuzzDocuments reads any string as documents of a world. There may be errors,
// but no panic, for any dataplane in any mesh.
func FuzzDocuments(f *testing.F) {
	for _, world := range testworld.Golden(f, "a*") {
		if len(world.YAML) <= largest {
			f.Add(world.YAML)
		}
	}
	f.Add(stream(aMesh, aDataplane, inBackend("MeshTimeout", "t", "to: [{targetRef: {kind: MeshService, name: backend}}]")))
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > largest {
			return
		}
		docs, err := tree.DecodeYAML([]byte(text))
		if err != nil {
			return
		}
		var resources []kuma.Resource
		for _, doc := range docs {
			if r, err := kuma.FromDocument(doc, kinds.Form); err == nil {
				resources = append(resources, r)
			}
		}
		queryAll(resources)
	})
}

// FuzzTargetRef uses any value in place of every reference.
func FuzzTargetRef(f *testing.F) {
	for _, ref := range []string{
		`{kind: Mesh, proxyTypes: [Sidecar]}`,
		`{kind: Dataplane, name: web, namespace: shop, sectionName: main}`,
		`{kind: Dataplane, labels: {app: web}}`,
		`{kind: MeshSubset, tags: {kuma.io/service: "*"}}`,
		`{kind: MeshService, name: cart, sectionName: http}`,
		`{kind: MeshService, name: cart_shop_svc_80}`,
		`{kind: MeshServiceSubset, name: cart, tags: {team: a}}`,
		`{kind: MeshGateway, name: edge, tags: {port: http}}`,
		`{kind: MeshHTTPRoute, name: r}`,
		`{kind: MeshExternalService, labels: {}}`,
		`[null]`,
	} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		if len(ref) > largest {
			return
		}
		docs, err := tree.DecodeYAML([]byte(ref))
		if err != nil || len(docs) != 1 {
			return
		}
		world := testworld.Resources(t, aMesh, aDataplane, aCart)
		for _, k := range kinds.Policies() {
			entry := []any{object{"targetRef": docs[0], "default": object{}, "rules": []any{object{"default": object{}}}}}
			for name, top := range map[string]any{"any": nil, "referring": docs[0]} {
				world = append(world, kuma.Resource{
					Type: k.Name, Mesh: "default", Name: name, Labels: map[string]string{kuma.LabelDisplayName: "r"},
					Body: object{"spec": object{"targetRef": top, "to": entry, "from": entry, "default": object{}}},
				})
			}
		}
		checkWorldOf(t, world)
	})
}

// FuzzConfs merges any three confs in each of the ways in which confs merge.
func FuzzConfs(f *testing.F) {
	f.Add(`{connectionTimeout: 5s, http: {requestTimeout: 1s}}`, `{http: {requestTimeout: 2s}}`, `{http: {}}`)
	f.Add(`{appendMatch: [{port: 1}]}`, `{appendMatch: [], passthroughMode: All}`, `{appendMatch: null}`)
	f.Add(`{sidecar: {profiles: {appendProfiles: [{name: All}]}}}`, `{sidecar: {profiles: 1}}`, `{sidecar: {profiles: {appendProfiles: [x]}}}`)
	f.Add(`{rules: [{matches: [{method: GET}], default: {filters: []}}], hostnames: [x]}`, `{rules: [{matches: [{method: GET}]}]}`, `{hostnames: [x, y]}`)
	f.Add(`{a: {b: 1}}`, `{a: 2}`, `{a: {b: null}}`)
	f.Add(`[]`, `null`, `x`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		world := testworld.Resources(t, aMesh, aDataplane)
		for i, text := range []string{a, b, c} {
			if len(text) > largest {
				return
			}
			docs, err := tree.DecodeYAML([]byte(text))
			if err != nil || len(docs) > 1 {
				return
			}
			var conf any
			if len(docs) == 1 {
				conf = docs[0]
			}
			for _, k := range kinds.Policies() {
				entry := object{"targetRef": object{"kind": "Mesh"}, "default": conf}
				if route, ok := conf.(object); ok {
					entry["rules"], entry["hostnames"] = route["rules"], route["hostnames"]
				}
				world = append(world, policyOf(k.Name, string(rune('c'-i)), object{
					"default": conf, "to": []any{entry}, "from": []any{entry}, "rules": []any{entry},
				}))
			}
		}
		checkWorldOf(t, world)
	})
}

// FuzzWorld generates a world from any bytes.
func FuzzWorld(f *testing.F) {
	for seed := range uint64(20) {
		random := randomly(seed)
		data := make([]byte, 256)
		for i := range data {
			data[i] = byte(random(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkWorldOf(t, inventWorld(readFrom(data[:min(len(data), largest)])))
	})
}

// checkWorldOf checks the properties of every world.
func checkWorldOf(t *testing.T, world []kuma.Resource) {
	t.Helper()
	s := rules.NewSnapshot(world)
	for _, name := range s.Dataplanes("default") {
		answer, err := s.Dataplane("default", name)
		if err != nil {
			continue
		}
		for _, p := range answer.Rules {
			checkProvenance(t, p)
			for _, r := range p.ToResourceRules {
				d := rules.Destination{Resource: r.ResourceMeta.ID(), Section: r.ResourceSectionName}
				if _, ok := p.Lookup(d); !ok {
					t.Errorf("%s: Lookup(%v) does not find the rule that is about it", p.Type, d)
				}
			}
		}
	}
	want := answersOf(t, s)
	reversed := slices.Clone(world)
	slices.Reverse(reversed)
	if diff := cmp.Diff(want, answersOf(t, rules.NewSnapshot(reversed))); diff != "" {
		t.Errorf("answers in reverse order (-before +after):\n%s", diff)
	}
}
