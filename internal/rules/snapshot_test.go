package rules_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestUnknown(t *testing.T) {
	s := rules.NewSnapshot(testworld.Resources(t, aMesh, aDataplane,
		`{type: Dataplane, mesh: lost, name: web}`, `{type: Dataplane, name: api}`))
	for name, tt := range map[string]struct {
		mesh, dataplane string
		want            error
	}{
		"known":             {"default", "web", nil},
		"unknown dataplane": {"default", "cart", rules.ErrUnknownDataplane},
		"unknown mesh":      {"other", "web", rules.ErrUnknownMesh},
		"mesh not in sight": {"lost", "web", rules.ErrUnknownMesh},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := s.Dataplane(tt.mesh, tt.dataplane); !errors.Is(err, tt.want) {
				t.Errorf("Dataplane(%q, %q): got error %v, want %v", tt.mesh, tt.dataplane, err, tt.want)
			}
			if _, err := s.Rules(tt.mesh, tt.dataplane, "MeshTrace"); !errors.Is(err, tt.want) {
				t.Errorf("Rules(%q, %q): got error %v, want %v", tt.mesh, tt.dataplane, err, tt.want)
			}
		})
	}
	if _, err := s.Rules("default", "web", "MeshService"); !errors.Is(err, rules.ErrUnknownPolicy) {
		t.Errorf("Rules of a kind that is not a policy: got error %v, want %v", err, rules.ErrUnknownPolicy)
	}
	testworld.Equal(t, "Dataplanes", []string{"api", "web"}, s.Dataplanes("default"))
	if got := s.Dataplanes("other"); got != nil {
		t.Errorf("Dataplanes of an unknown mesh: got %v, want none", got)
	}
	if got := s.Groups("lost", "MeshTrace"); got != nil {
		t.Errorf("Groups of a mesh that is not in sight: got %v, want none", got)
	}
}

// TestResources checks that a snapshot returns the resources that it was built
// from.
func TestResources(t *testing.T) {
	s := rules.NewSnapshot(testworld.Resources(t, aMesh, aDataplane, `{type: Zone, name: east}`, `{type: MeshTrace, name: a}`,
		`{type: Mesh, name: other, meshServices: {mode: Exclusive}}`))
	keys := func(meshName string, kinds ...string) string {
		var names []string
		for _, r := range s.Resources(meshName, kinds...) {
			names = append(names, r.Key().String())
		}
		return strings.Join(names, ", ")
	}
	for name, tt := range map[string]struct{ got, want string }{
		"of a mesh":    {keys("default"), `Dataplane "web" of mesh "default", Mesh "default", MeshTrace "a" of mesh "default"`},
		"of no mesh":   {keys(""), `Zone "east"`},
		"of one kind":  {keys("default", "MeshTrace"), `MeshTrace "a" of mesh "default"`},
		"of no kind":   {keys("default", "MeshTLS"), ""},
		"unknown mesh": {keys("lost"), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("resources %s: got %s, want %s", name, tt.got, tt.want)
		}
	}
	for _, key := range []kuma.Key{{Type: "Zone", Name: "east"}, {Type: "Mesh", Name: "other"}, {Type: "Dataplane", Mesh: "default", Name: "web"}} {
		if got := s.Resource(key); got == nil || got.Key() != key {
			t.Errorf("Resource(%s): got %v", key, got)
		}
	}
	for _, key := range []kuma.Key{{Type: "Zone", Mesh: "default", Name: "east"}, {Type: "Zone", Mesh: "lost", Name: "east"}} {
		if got := s.Resource(key); got != nil {
			t.Errorf("Resource of mesh %q: got %v, want nil", key.Mesh, got)
		}
	}
	if s.Exclusive("default") || !s.Exclusive("other") || s.Exclusive("lost") {
		t.Error("only the mesh \"other\" is exclusive")
	}
}

// TestMetaID checks that a resource is identified by its display name, zone and
// namespace, and addressed by its name.
func TestMetaID(t *testing.T) {
	answer := answerFor(t, "web.shop", aMesh, `
type: Dataplane
name: web.shop
labels: {kuma.io/display-name: web, k8s.kuma.io/namespace: shop, kuma.io/zone: zone-1}
`)
	want := kuma.ID{Type: "Dataplane", Mesh: "default", Zone: "zone-1", Namespace: "shop", Name: "web"}
	if got := answer.Resource.ID(); got != want {
		t.Errorf("ID: got %v, want %v", got, want)
	}
	if got := answer.Resource.Key(); got != (kuma.Key{Type: "Dataplane", Mesh: "default", Name: "web.shop"}) {
		t.Errorf("Key: got %v", got)
	}
}

// TestShape checks that arrays are never null, and that absent fields stay
// absent.
func TestShape(t *testing.T) {
	for name, tt := range map[string]struct{ document, want string }{
		"nothing": {`{type: Zone, name: z}`, `{"httpMatches":[],"resource":{"labels":{},"mesh":"default","name":"web","type":"Dataplane"},"rules":[]}`},
		"proxy rule": {
			`
type: MeshTrace
name: t
labels: {a: b}
spec: {default: {}}
`,
			`{"httpMatches":[],"resource":{"labels":{},"mesh":"default","name":"web","type":"Dataplane"},"rules":[` +
				`{"fromRules":[],"inboundRules":[],"proxyRule":{"conf":{},"origin":[` +
				`{"labels":{"a":"b"},"mesh":"default","name":"t","type":"MeshTrace"}]},` +
				`"toResourceRules":[],"toRules":[],"type":"MeshTrace","warnings":[]}]}`,
		},
		"inbound rule": {
			`
type: MeshTLS
name: t
spec:
  rules:
    - {default: {}}
`,
			`{"httpMatches":[],"resource":{"labels":{},"mesh":"default","name":"web","type":"Dataplane"},"rules":[` +
				`{"fromRules":[],"inboundRules":[{"inbound":{"port":80,"tags":null},"rules":[{"conf":[{}],"origin":[` +
				`{"resourceMeta":{"labels":{},"mesh":"default","name":"t","type":"MeshTLS"},"ruleIndex":0}]}]}],` +
				`"toResourceRules":[],"toRules":[],"type":"MeshTLS","warnings":[]}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := answerFor(t, "web", aMesh, tt.document,
				`
type: Dataplane
name: web
networking:
  address: 10.0.0.1
  inbound: [{port: 80}]
`)
			testworld.Equal(t, "answer", tt.want, compact(throughJSON(t, answer)))
		})
	}
}

// TestModes checks that rules by service tag are not returned in mode
// Exclusive, but that their hashes are (matching.md §10.4).
func TestModes(t *testing.T) {
	const route = `
type: MeshHTTPRoute
name: r
spec:
  to:
    - targetRef: {kind: MeshService, name: nope}
      rules:
        - matches: [{method: GET}]
          default: {}
`
	for mode, want := range map[string]int{"Disabled": 1, "Everywhere": 1, "ReachableBackends": 1, "Exclusive": 0} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			answer := answerFor(t, "web", `{type: Mesh, name: default, meshServices: {mode: `+mode+`}}`, aDataplane, route)
			if len(answer.Rules) != want {
				t.Errorf("got rules of %d kinds, want %d", len(answer.Rules), want)
			}
			if len(answer.HTTPMatches) != 1 {
				t.Errorf("got %d httpMatches, want 1", len(answer.HTTPMatches))
			}
		})
	}
}

// TestLaterResourceReplaces checks that of two resources with the same name, as
// in a plan that changes one, the later one is used.
func TestLaterResourceReplaces(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane,
		`
type: MeshTrace
name: t
spec: {default: {v: 1}}
`, `
type: MeshTrace
name: t
spec: {default: {v: 2}}
`)
	got := compact(rulesOf(answer, "MeshTrace").ProxyRule.Conf)
	if want := `{"v":2}`; got != want {
		t.Errorf("conf: got %s, want %s", got, want)
	}
}

// TestSnapshotIsPure queries worlds of the corpus from several goroutines, in
// another order of resources, and after the answers were overwritten: the
// bytes must stay the same, and so must the resources.
func TestSnapshotIsPure(t *testing.T) {
	for _, world := range testworld.Golden(t, "a08-*", "a18-*", "a28-*") {
		t.Run(world.Name, func(t *testing.T) {
			resources, untouched := world.Resources, testworld.Resources(t, world.YAML)
			meshName := world.Mesh
			s := rules.NewSnapshot(resources)
			want := marshalAll(t, s, meshName)

			shuffled := slices.Clone(resources)
			random := rand.New(rand.NewPCG(1, 2))
			random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if diff := cmp.Diff(want, marshalAll(t, rules.NewSnapshot(shuffled), meshName)); diff != "" {
				t.Errorf("answers depend on the order of the resources (-first +second):\n%s", diff)
			}

			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for _, dataplane := range s.Dataplanes(meshName) {
						answer, err := s.Dataplane(meshName, dataplane)
						if err != nil {
							t.Error(err)
						}
						overwrite(answer)
					}
				})
			}
			wg.Wait()
			if diff := cmp.Diff(want, marshalAll(t, s, meshName)); diff != "" {
				t.Errorf("answers share memory with the snapshot (-first +second):\n%s", diff)
			}
			testworld.Equal(t, "resources were changed", untouched, resources)
		})
	}
}

func marshalAll(t *testing.T, s *rules.Snapshot, meshName string) []string {
	t.Helper()
	var out []string
	for _, dataplane := range s.Dataplanes(meshName) {
		answer, err := s.Dataplane(meshName, dataplane)
		testworld.NoError(t, err)
		data, err := json.Marshal(answer)
		testworld.NoError(t, err)
		out = append(out, string(data))
	}
	return out
}

// overwrite changes everything in an answer that can be reached.
func overwrite(a rules.Answer) {
	for _, m := range a.HTTPMatches {
		spoil(m.Match)
	}
	clear(a.Resource.Labels)
	for _, r := range a.Rules {
		for _, to := range r.ToRules {
			spoil(to.Conf)
			spoilMetas(to.Origin)
		}
		for _, to := range r.ToResourceRules {
			clear(to.ResourceMeta.Labels)
			spoil(to.Conf)
			spoilOrigins(to.Origin)
		}
		for _, from := range r.FromRules {
			clear(from.Inbound.Tags)
			for _, rule := range from.Rules {
				spoil(rule.Conf)
				spoilMetas(rule.Origin)
			}
		}
		for _, in := range r.InboundRules {
			clear(in.Inbound.Tags)
			for _, rule := range in.Rules {
				spoil(rule.Match)
				spoil(rule.Conf)
				spoilOrigins(rule.Origin)
			}
		}
		if r.ProxyRule != nil {
			spoil(r.ProxyRule.Conf)
			spoilMetas(r.ProxyRule.Origin)
		}
	}
}

func spoilMetas(metas []rules.Meta) {
	for _, m := range metas {
		clear(m.Labels)
	}
}

func spoilOrigins(origins []rules.Origin) {
	for _, o := range origins {
		clear(o.ResourceMeta.Labels)
	}
}

func spoil(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			spoil(e)
		}
		clear(v)
	case []any:
		for i := range v {
			spoil(v[i])
			v[i] = "spoilt"
		}
	}
}

// TestMalformed replaces every field of a world, one after the other, with
// values of wrong types: any answer is allowed, but no panic.
func TestMalformed(t *testing.T) {
	for _, world := range testworld.Golden(t, "a14-*", "a18-*", "a21-*", "a28-*") {
		t.Run(world.Name, func(t *testing.T) {
			t.Parallel()
			resources := world.Resources
			for i := range resources {
				eachField(resources[i].Body, func(set func(any), old any) {
					for _, wrong := range []any{nil, "x", json.Number("1e999"), true, []any{nil, "x", []any{}}, map[string]any{"kind": 1.5, "": nil}} {
						set(wrong)
						queryAll(resources)
					}
					set(old)
				})
			}
		})
	}
}

func queryAll(resources []kuma.Resource) {
	s := rules.NewSnapshot(resources)
	for _, r := range resources {
		if r.Type == kuma.KindDataplane {
			_, _ = s.Dataplane(r.Mesh, r.Name)
		}
	}
}

func eachField(v any, visit func(set func(any), old any)) {
	switch v := v.(type) {
	case map[string]any:
		for k, old := range v {
			eachField(old, visit)
			visit(func(e any) { v[k] = e }, old)
		}
	case []any:
		for i, old := range v {
			eachField(old, visit)
			visit(func(e any) { v[i] = e }, old)
		}
	}
}
