package answer_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestDigestsFollowRequests changes policies: a proxy with an equal digest sends the same requests as
// before. A digest may also change with settings that the proxy does not use.
func TestDigestsFollowRequests(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for w := range agreementWorlds(t) {
		count["worlds"]++
		for i, change := range policyChanges {
			n := count["worlds"] + i
			if i > 0 && !testworld.Runs(n) {
				continue
			}
			random := rand.New(rand.NewPCG(uint64(n), 2)) //nolint:gosec // reproducible
			after := w.with(change.of(w.input.Resources, random))
			compareDigests(t, w, after, change.name, count)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%6d %s", count[what], what)
	}
}

// policyChange changes some policies of a mesh.
type policyChange struct {
	name string
	of   func([]kuma.Resource, *rand.Rand) []kuma.Resource
}

var policyChanges = []policyChange{
	{"policies removed", func(all []kuma.Resource, random *rand.Rand) []kuma.Resource {
		return slices.DeleteFunc(slices.Clone(all), func(r kuma.Resource) bool { return isPolicy(r) && random.IntN(4) == 0 })
	}},
	{"policies more specific", eachPolicy(func(r *kuma.Resource, spec map[string]any, _ *rand.Rand) {
		if top := r.TopRef(); top.Kind == kuma.KindMesh && r.Spec()["targetRef"] == nil {
			spec["targetRef"] = map[string]any{"kind": kuma.KindDataplane}
		} else if top.Kind == kuma.KindDataplane && top.Labels == nil && top.Name == "" && top.SectionName == "" {
			delete(spec, "targetRef")
		}
	})},
	{"policies in another order", eachPolicy(func(r *kuma.Resource, _ map[string]any, random *rand.Rand) {
		r.Name = fmt.Sprintf("%c-%s", 'a'+random.IntN(26), r.Name) //nolint:gosec // a letter
		r.Labels = maps.Clone(r.Labels)
		delete(r.Labels, kuma.LabelDisplayName)
	})},
	{"policies with fewer entries", eachPolicy(func(_ *kuma.Resource, spec map[string]any, random *rand.Rand) {
		for _, section := range []string{"to", "from", "rules"} {
			if list := tree.List(spec[section]); len(list) > 1 {
				at := random.IntN(len(list))
				spec[section] = slices.Delete(slices.Clone(list), at, at+1)
			}
		}
	})},
	{"policies with entries in another order", eachPolicy(func(_ *kuma.Resource, spec map[string]any, random *rand.Rand) {
		for _, section := range []string{"to", "from", "rules"} {
			list := slices.Clone(tree.List(spec[section]))
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			if list != nil {
				spec[section] = list
			}
		}
	})},
	{"routes with a twin", func(all []kuma.Resource, random *rand.Rand) []kuma.Resource { // of higher precedence
		out := slices.Clone(all)
		for _, r := range all {
			if rules.IsRoute(r.Type) && random.IntN(2) == 0 {
				r.Name, r.Labels = "0-"+r.Name, maps.Clone(r.Labels)
				delete(r.Labels, kuma.LabelDisplayName)
				out = append(out, r)
			}
		}
		return out
	}},
	{"policies without effect", eachPolicy(func(r *kuma.Resource, _ map[string]any, _ *rand.Rand) {
		r.Labels = maps.Clone(r.Labels)
		if r.Labels == nil {
			r.Labels = map[string]string{}
		}
		r.Labels[kuma.LabelEffect] = "shadow"
	})},
}

func isPolicy(r kuma.Resource) bool {
	k, _ := kinds.Find(r.Type)
	return k.Policy != nil
}

// eachPolicy changes every third policy, and its copy of the body.
func eachPolicy(change func(r *kuma.Resource, spec map[string]any, random *rand.Rand)) func([]kuma.Resource, *rand.Rand) []kuma.Resource {
	return func(all []kuma.Resource, random *rand.Rand) []kuma.Resource {
		out := slices.Clone(all)
		for i := range out {
			if !isPolicy(out[i]) || random.IntN(3) > 0 {
				continue
			}
			spec := maps.Clone(out[i].Spec())
			change(&out[i], spec, random)
			out[i].Body = maps.Clone(out[i].Body)
			out[i].Body["spec"] = spec
		}
		return out
	}
}

// withoutNames removes the names of policies from a reason, because the digest does not depend on them.
func withoutNames(reason string) string {
	return regexp.MustCompile(`"[^"]*"`).ReplaceAllString(reason, "")
}

func compareDigests(t *testing.T, w, after agreementWorld, change string, count map[string]int) {
	t.Helper()
	i, err := impact.Compare(w.snapshot, after.snapshot, w.mesh)
	if err != nil {
		t.Fatalf("%s: %v", w.name, err)
	}
	var services []kuma.ID
	for _, r := range w.snapshot.Services(w.mesh) {
		services = append(services, r.ID())
	}
	was, is := request.New(w.snapshot), request.New(after.snapshot)
	for _, dataplane := range w.snapshot.Dataplanes(w.mesh) {
		before, now := digestOf(t, w, dataplane), digestOf(t, after, dataplane)
		if before != now {
			if count[change+": digests changed"]++; slices.Contains(i.Unchanged, dataplane) {
				count["digests changed by settings that the proxy does not use"]++
			}
			continue
		}
		count[change+": digests equal"]++
		sent, err := sentBy(w, was, dataplane, services)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		sends, err := sentBy(after, is, dataplane, services)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		if sent == nil || sends == nil {
			continue
		}
		for about, answer := range sent {
			if answer != sends[about] && !strings.HasPrefix(answer, "unknown: ") || withoutNames(answer) != withoutNames(sends[about]) {
				t.Errorf("%s, %s: the digest of %s is equal, but %s was\n%s\nis\n%s", w.name, change, dataplane, about, answer, sends[about])
			}
		}
	}
}

func digestOf(t *testing.T, w agreementWorld, dataplane string) string {
	t.Helper()
	a, err := w.snapshot.Dataplane(w.mesh, dataplane)
	testworld.NoError(t, err)
	d, err := digest.Of(w.snapshot, a)
	testworld.NoError(t, err)
	return d
}
