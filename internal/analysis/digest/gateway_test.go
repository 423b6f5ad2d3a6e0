package digest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestDigestsOfGateways removes each policy that selects a builtin gateway in a recorded world:
// the digest changes exactly if a value changes that one of the listeners has, or connections to
// backends.
func TestDigestsOfGateways(t *testing.T) {
	t.Parallel()
	changed, unchanged := 0, 0
	for _, world := range testworld.GoldenSample(t) {
		s := rules.NewSnapshot(world.Resources)
		for _, name := range s.Dataplanes(world.Mesh) {
			if len(s.Listeners(world.Mesh, name)) == 0 {
				continue
			}
			for _, k := range kinds.Policies() {
				for _, policy := range s.Match(world.Mesh, name, k.Name).Policies() {
					fewer := slices.DeleteFunc(slices.Clone(world.Resources), func(r kuma.Resource) bool { return r.Key() == policy })
					was, wasDigest := ofGateway(t, s, world.Mesh, name, k.Name)
					is, isDigest := ofGateway(t, rules.NewSnapshot(fewer), world.Mesh, name, k.Name)
					if (was == is) != (wasDigest == isDigest) {
						t.Errorf("%s, %s without %s: equal digests: %t\nbefore:\n%s\nafter:\n%s", world.Name, name, policy, wasDigest == isDigest, was, is)
					}
					if was == is {
						unchanged++
					} else {
						changed++
					}
				}
			}
		}
	}
	if changed == 0 || unchanged == 0 {
		t.Errorf("%d removals change a gateway, %d do not", changed, unchanged)
	}
	t.Logf("%d removals change a gateway, %d do not", changed, unchanged)
}

// ofGateway returns the values that policies of a type set for a gateway, as text, and the digest.
func ofGateway(t *testing.T, s *rules.Snapshot, mesh, name, policyType string) (values, of string) {
	t.Helper()
	a, err := s.Dataplane(mesh, name, policyType)
	testworld.NoError(t, err)
	if of, err = digest.Of(s, a); err != nil {
		t.Fatal(err)
	}
	var lines []string
	add := func(about string, leaves []rules.Leaf) {
		var set []string
		for _, l := range leaves {
			set = append(set, fmt.Sprintf("%s=%v", l.Path, l.Value))
		}
		lines = append(lines, about+": "+strings.Join(set, " "))
	}
	for _, p := range a.Applied() {
		for _, o := range p.Outgoing() {
			for _, r := range o.Rules {
				add(fmt.Sprint(o.Listener, r.Matchers), r.Explain())
			}
			for _, r := range o.Resources {
				for _, leaves := range r.Explain() {
					add(kinds.KRI(r.ResourceMeta.ID())+r.ResourceSectionName, leaves)
				}
			}
		}
		for _, in := range p.Incoming() {
			first := len(lines)
			for _, r := range in.Rules {
				add(fmt.Sprint(in.Inbound.Port, r.Match), r.Explain())
			}
			if k, _ := kinds.Find(p.Type); k.Policy.Additive {
				slices.Sort(lines[first:])
			}
			for _, r := range in.From {
				add(fmt.Sprint(in.Inbound.Port, r.Matchers), r.Explain())
			}
			if in.Access != rules.AccessUnchecked {
				lines = append(lines, string(in.Access))
			}
		}
		if p.ProxyRule != nil {
			add("proxy", p.ProxyRule.Explain())
		}
	}
	return strings.Join(lines, "\n"), of
}
