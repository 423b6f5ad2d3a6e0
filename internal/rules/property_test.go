package rules_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// worlds iterates over random worlds by their seeds, those of 400 that a test runs, up to the
// first for which the test fails.
func worlds(t *testing.T) iter.Seq2[uint64, []kuma.Resource] {
	t.Helper()
	t.Parallel()
	return func(yield func(uint64, []kuma.Resource) bool) {
		for seed := range uint64(400) {
			if !testworld.Runs(int(seed)) {
				continue
			}
			more := yield(seed, inventWorld(randomly(seed)))
			if t.Failed() {
				t.Fatalf("the world has seed %d", seed)
			}
			if !more {
				return
			}
		}
	}
}

// answersOf returns the answers for all dataplanes as JSON. For a world with
// too many subsets, the answer is the error.
func answersOf(t *testing.T, s *rules.Snapshot) []string {
	t.Helper()
	var out []string
	for _, name := range s.Dataplanes("default") {
		answer, err := s.Dataplane("default", name)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		data, err := json.Marshal(answer)
		testworld.NoError(t, err)
		out = append(out, string(data))
	}
	return out
}

// TestOrderOfDocumentsDoesNotMatter checks that permuting the input changes
// nothing.
func TestOrderOfDocumentsDoesNotMatter(t *testing.T) {
	for seed, world := range worlds(t) {
		want := answersOf(t, rules.NewSnapshot(world))
		shuffled := slices.Clone(world)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if diff := cmp.Diff(want, answersOf(t, rules.NewSnapshot(shuffled))); diff != "" {
			t.Errorf("answers after shuffling (-before +after):\n%s", diff)
		}
	}
}

// TestPolicyForNobody checks that policies that select no proxy change nothing.
func TestPolicyForNobody(t *testing.T) {
	for _, world := range worlds(t) {
		want := answersOf(t, rules.NewSnapshot(world))
		for _, k := range kinds.Policies() {
			fields := randomly(1).policy(k)
			fields["targetRef"] = object{"kind": "MeshSubset", "tags": object{"unknown": "has this"}}
			world = append(world, kuma.Resource{Type: k.Name, Mesh: "default", Name: "unknown", Body: object{"spec": fields}})
		}
		if diff := cmp.Diff(want, answersOf(t, rules.NewSnapshot(world))); diff != "" {
			t.Errorf("answers with more policies (-before +after):\n%s", diff)
		}
	}
}

// TestConfIsFoldOfOrigins checks that the conf of a rule is that of its
// origins, merged one after the other. The merge is implemented a second time
// here, from the text of RFC 7396.
func TestConfIsFoldOfOrigins(t *testing.T) {
	folded := 0
	for _, world := range worlds(t) {
		byKey := map[kuma.Key]kuma.Resource{}
		for _, r := range world {
			byKey[r.Key()] = r
		}
		eachRules(t, world, func(p rules.PolicyRules) {
			if p.Type == kuma.KindMeshHTTPRoute || p.Type == kuma.KindMeshTCPRoute {
				return // their confs are not called default
			}
			for _, r := range p.ToResourceRules {
				var want any
				for i, o := range r.Origin {
					policy := byKey[kuma.Key{Type: o.ResourceMeta.Type, Mesh: o.ResourceMeta.Mesh, Name: o.ResourceMeta.Name}]
					conf, ok := policy.Spec()["to"].([]any)[o.RuleIndex].(object)["default"].(object)
					if !ok {
						conf = object{}
					}
					if i == 0 {
						want = tree.Clone(conf)
					} else {
						want = mergePatch(want, conf)
					}
				}
				// An origin that resolved twice to one identity is merged
				// twice, which only nulls can show.
				if diff := cmp.Diff(withoutNulls([]any{want}), withoutNulls(r.Conf)); diff != "" {
					t.Errorf("conf of %s for %v (-fold of origins +got):\n%s", p.Type, r.ResourceMeta, diff)
				}
				folded++
			}
		})
	}
	if folded == 0 && !testing.Short() { // few worlds have one
		t.Error("no world had a rule")
	}
}

func mergePatch(target, change any) any {
	patch, ok := change.(object)
	if !ok {
		return withoutNulls(change)
	}
	into, ok := target.(object)
	if !ok {
		into = object{}
	}
	for name, value := range patch {
		if value == nil {
			delete(into, name)
			continue
		}
		into[name] = mergePatch(into[name], value)
	}
	return into
}

// withoutNulls is what the control plane adds to the RFC (matching.md §9.6).
func withoutNulls(v any) any {
	l, ok := v.([]any)
	if !ok {
		return v
	}
	out := make([]any, len(l))
	for i, e := range l {
		if e, ok := e.(object); ok {
			out[i] = mergePatch(object{}, e)
			continue
		}
		out[i] = withoutNulls(e)
	}
	return out
}

// TestProvenanceRebuildsConf checks that the leaves of a conf add up to it, and
// that each was set by an origin of its rule, after all those that it overrode.
func TestProvenanceRebuildsConf(t *testing.T) {
	leaves := 0
	for _, world := range worlds(t) {
		eachRules(t, world, func(p rules.PolicyRules) { leaves += checkProvenance(t, p) })
	}
	if leaves == 0 {
		t.Error("no world had a rule")
	}
}

// checkProvenance returns the number of leaves.
func checkProvenance(t *testing.T, p rules.PolicyRules) int {
	t.Helper()
	leaves := 0
	for _, r := range p.ToRules {
		leaves += checkLeaves(t, p.Type, r.Conf, r.Explain(), strings.Fields(metas(r.Origin)))
	}
	for _, f := range p.FromRules {
		for _, r := range f.Rules {
			leaves += checkLeaves(t, p.Type, r.Conf, r.Explain(), strings.Fields(metas(r.Origin)))
		}
	}
	for _, r := range p.ToResourceRules {
		confs := r.Explain()
		if len(confs) != len(r.Conf) {
			t.Fatalf("%s: %d confs, %d of them explained", p.Type, len(r.Conf), len(confs))
		}
		for i := range confs {
			leaves += checkLeaves(t, p.Type, r.Conf[i], confs[i], strings.Fields(origins(r.Origin)))
		}
	}
	for _, in := range p.Incoming() {
		for _, r := range in.Rules {
			leaves += checkLeaves(t, p.Type, r.Merge(), r.Explain(), strings.Fields(entriesIn(r.Entries())))
		}
	}
	if r := p.ProxyRule; r != nil {
		leaves += checkLeaves(t, p.Type, r.Conf, r.Explain(), strings.Fields(metas(r.Origin)))
	}
	return leaves
}

// checkLeaves compares leaves with the conf and with its origins, which are
// policies or policy#entry, and returns their number.
func checkLeaves(t *testing.T, kind string, conf any, leaves []rules.Leaf, origin []string) int {
	t.Helper()
	if diff := cmp.Diff(conf, rebuild(leaves)); diff != "" {
		t.Errorf("conf of %s (-merged +rebuilt from leaves):\n%s", kind, diff)
	}
	for _, l := range leaves {
		last := 0
		for _, s := range append(slices.Clone(l.Overridden), l.Setting) {
			by := origins([]rules.Origin{s.SetBy})
			at := slices.IndexFunc(origin, func(o string) bool { return o == by || o == s.SetBy.ResourceMeta.Name })
			if at < 0 {
				t.Errorf("%s: %s is set by %s, which is not an origin", kind, s.Path, by)
			}
			if !slices.Equal(s.Path, l.Path) {
				continue // an object and another value replaced each other
			}
			if at < last {
				t.Errorf("%s: settings of %s are not in merge order", kind, l.Path)
			}
			last = at
		}
	}
	return len(leaves)
}

// rebuild builds a conf from its leaves.
func rebuild(leaves []rules.Leaf) any {
	var conf any
	for _, l := range leaves {
		conf = put(conf, l.Path, l.Value)
	}
	return conf
}

func put(v any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch step := path[0].(type) {
	case string:
		m, _ := v.(object)
		if m == nil {
			m = object{}
		}
		m[step] = put(m[step], path[1:], value)
		return m
	case int:
		l, _ := v.([]any)
		for len(l) <= step {
			l = append(l, nil)
		}
		l[step] = put(l[step], path[1:], value)
		return l
	default:
		return fmt.Sprintf("unknown step %v", step)
	}
}

// TestInputIsNeverModified checks that no query modifies the input, even when
// answers are overwritten.
func TestInputIsNeverModified(t *testing.T) {
	for _, world := range worlds(t) {
		var before []kuma.Resource
		for _, r := range world {
			before = append(before, r.Clone())
		}
		s := rules.NewSnapshot(world)
		want := answersOf(t, s)
		for _, name := range s.Dataplanes("default") {
			if answer, err := s.Dataplane("default", name); err == nil {
				for _, p := range answer.Rules {
					spoilLeaves(p)
				}
				overwrite(answer)
			}
		}
		if diff := cmp.Diff(before, world); diff != "" {
			t.Errorf("resources (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(want, answersOf(t, s)); diff != "" {
			t.Errorf("answers (-before +after):\n%s", diff)
		}
	}
}

func spoilLeaves(p rules.PolicyRules) {
	for _, r := range p.ToResourceRules {
		for _, leaves := range r.Explain() {
			for _, l := range leaves {
				for _, s := range append(l.Overridden, l.Setting) {
					spoil(s.Value)
					clear(s.SetBy.ResourceMeta.Labels)
				}
			}
		}
	}
}

// TestConcurrentQueries checks that goroutines that share a snapshot get the
// same answers as a single one.
func TestConcurrentQueries(t *testing.T) {
	for seed, world := range worlds(t) {
		if seed%10 != 0 {
			continue
		}
		s := rules.NewSnapshot(world)
		want := answersOf(t, s)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i, name := range s.Dataplanes("default") {
					answer, err := s.Dataplane("default", name)
					if err != nil {
						continue
					}
					for _, p := range answer.Rules {
						checkProvenance(t, p)
					}
					if got := compact(answer); got != want[i] {
						t.Errorf("concurrent answer:\ngot  %s\nwant %s", got, want[i])
					}
				}
			})
		}
		wg.Wait()
	}
}

// TestRulesIsPartOfAnswer checks that the rules of one type are those in the
// whole answer.
func TestRulesIsPartOfAnswer(t *testing.T) {
	for _, world := range worlds(t) {
		s := rules.NewSnapshot(world)
		for _, name := range s.Dataplanes("default") {
			answer, err := s.Dataplane("default", name)
			if err != nil {
				continue
			}
			for _, k := range kinds.Policies() {
				got, err := s.Rules("default", name, k.Name)
				testworld.NoError(t, err)
				shown := slices.ContainsFunc(answer.Rules, func(p rules.PolicyRules) bool { return p.Type == k.Name })
				if want := rulesOf(answer, k.Name); shown && compact(got) != compact(want) {
					t.Errorf("Rules(%s):\ngot  %s\nwant %s", k.Name, compact(got), compact(want))
				}
			}
		}
	}
}

func eachRules(t *testing.T, world []kuma.Resource, visit func(rules.PolicyRules)) {
	t.Helper()
	s := rules.NewSnapshot(world)
	for _, name := range s.Dataplanes("default") {
		answer, err := s.Dataplane("default", name)
		testworld.NoError(t, err)
		for _, p := range answer.Rules {
			visit(p)
		}
	}
}
