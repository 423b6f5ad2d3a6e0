package rules_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// TestOutlineIsTheRules checks that an outline that is merged afterwards equals
// the rules, and that rules with the same input are equal, in any world.
func TestOutlineIsTheRules(t *testing.T) {
	texts := map[string]string{} // by type, list and input
	compared, again := 0, 0
	same := func(list, text string, input rules.Input) {
		key := list + string(input[:])
		was, ok := texts[key]
		if ok {
			again++
		}
		if ok && was != text {
			t.Errorf("rules of one input differ:\n%s\n%s", was, text)
		}
		texts[key] = text
	}
	for _, world := range worlds(t) {
		s := rules.NewSnapshot(world)
		for _, k := range kinds.Policies() {
			for _, name := range s.Dataplanes("default") {
				want, wantErr := s.Rules("default", name, k.Name)
				got, err := s.Outline("default", name, k.Name)
				if (wantErr == nil) != (err == nil) {
					t.Fatalf("Outline() = %v, Rules() = %v", err, wantErr)
				}
				for i, r := range got.ToResourceRules {
					if names := entriesIn(r.Entries()); names != origins(want.ToResourceRules[i].Origin) {
						t.Errorf("policies of an outline: got %s, want %s", names, origins(want.ToResourceRules[i].Origin))
					}
					got.ToResourceRules[i].Conf, got.ToResourceRules[i].Origin = r.Merge(), want.ToResourceRules[i].Origin
					same(k.Name+" resource", compact(r.Merge())+leaves(r.Explain()...), r.Input())
				}
				for i, r := range got.ToRules {
					got.ToRules[i].Conf, got.ToRules[i].Origin = r.Merge(), want.ToRules[i].Origin
					same(k.Name+" to", compact(r.Merge())+leaves(r.Explain()), r.Input())
				}
				for n, f := range got.FromRules {
					for i, r := range f.Rules {
						f.Rules[i].Conf, f.Rules[i].Origin = r.Merge(), want.FromRules[n].Rules[i].Origin
						same(k.Name+" from", compact(r.Merge())+leaves(r.Explain()), r.Input())
					}
				}
				if r := got.ProxyRule; r != nil {
					same(k.Name+" proxy", compact(r.Conf)+leaves(r.Explain()), r.Input())
				}
				if diff := cmp.Diff(compact(want), compact(got)); diff != "" {
					t.Errorf("%s for %s (-rules +outline):\n%s", k.Name, name, diff)
				}
				compared++
			}
		}
	}
	if compared == 0 || again == 0 {
		t.Errorf("%d outlines were compared, and %d inputs came again", compared, again)
	}
	t.Logf("%d outlines were compared, and %d inputs came again", compared, again)
}

// leaves formats leaves without the labels of policies.
func leaves(confs ...[]rules.Leaf) string {
	var out strings.Builder
	write := func(s rules.Setting) {
		fmt.Fprintf(&out, "%s=%s by %s#%d\n", s.Path, compact(s.Value), s.SetBy.ResourceMeta.Name, s.SetBy.RuleIndex)
	}
	for _, conf := range confs {
		for _, l := range conf {
			write(l.Setting)
			for _, o := range l.Overridden {
				write(o)
			}
		}
	}
	return out.String()
}

// entriesIn formats entries, without adjacent repetitions.
func entriesIn(entries iter.Seq[rules.Entry]) string {
	var out []string
	for e := range entries {
		out = append(out, fmt.Sprintf("%s#%d", e.Policy.Name, e.Index))
	}
	return strings.Join(slices.Compact(out), " ")
}
