package answer_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestDigestsFollowRequests removes policies: a proxy with an equal digest sends the same requests as
// before. A digest may also change with settings that the proxy does not use.
func TestDigestsFollowRequests(t *testing.T) {
	t.Parallel()
	worlds, equal, changed, unused := 0, 0, 0, 0
	for w := range agreementWorlds(t) {
		worlds++
		random := rand.New(rand.NewPCG(uint64(worlds), 2)) //nolint:gosec // reproducible
		after := w.with(slices.DeleteFunc(slices.Clone(w.input.Resources), func(r kuma.Resource) bool {
			k, _ := kinds.Find(r.Type)
			return k.Policy != nil && random.IntN(4) == 0
		}))
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
				if changed++; slices.Contains(i.Unchanged, dataplane) {
					unused++
				}
				continue
			}
			equal++
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
				if answer != sends[about] {
					t.Errorf("%s: the digest of %s is equal, but %s was\n%s\nis\n%s", w.name, dataplane, about, answer, sends[about])
				}
			}
		}
	}
	t.Logf("%d worlds, %d digests equal, %d changed, of which %d by settings that the proxy does not use", worlds, equal, changed, unused)
}

func digestOf(t *testing.T, w agreementWorld, dataplane string) string {
	t.Helper()
	a, err := w.snapshot.Dataplane(w.mesh, dataplane)
	testworld.NoError(t, err)
	d, err := digest.Of(w.snapshot, a)
	testworld.NoError(t, err)
	return d
}
