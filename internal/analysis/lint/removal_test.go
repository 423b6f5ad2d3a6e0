package lint_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestIneffectiveSettingsCanBeRemoved removes the ineffective settings that are found
// in the recorded worlds: the conf of every destination of every proxy must not change.
func TestIneffectiveSettingsCanBeRemoved(t *testing.T) {
	t.Parallel()
	const most = 2 // of a code in a world, because each computes all rules twice
	removed := map[string]int{}
	for _, recorded := range testworld.GoldenSample(t) {
		name, world := recorded.Name, recorded.Resources
		for _, m := range world {
			if m.Type != kuma.KindMesh {
				continue
			}
			here := map[string]int{}
			for _, f := range lint.Mesh(rules.NewSnapshot(world), m.Name) {
				less, ok := without(world, f)
				if !ok || here[f.Code] == most {
					continue
				}
				here[f.Code]++
				removed[f.Code]++
				destinations := destinationsIn(world, m.Name)
				before, after := confsOf(t, world, destinations, m.Name, f.Resource.Type), confsOf(t, less, destinations, m.Name, f.Resource.Type)
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("%s: without %s of %s, %s:\n%s", name, f.Path, f.Resource, f.Message, diff)
				}
			}
		}
	}
	for _, code := range []string{"selects-no-proxy", "overridden-everywhere", "dangling-target"} {
		if removed[code] == 0 {
			t.Errorf("nothing was removed for %s", code)
		}
	}
	t.Log(removed)
}

// without returns a world without what a finding reports as ineffective, and false if
// the finding has another subject.
func without(world []kuma.Resource, f lint.Finding) ([]kuma.Resource, bool) {
	i := slices.IndexFunc(world, func(r kuma.Resource) bool { return r.Key() == f.Resource })
	world = slices.Clone(world)
	listed := []string{"only builtin gateways apply this entry", "only a builtin gateway uses", "has transparent proxying", "which replaces it"}
	if slices.ContainsFunc(listed, func(part string) bool { return strings.Contains(f.Message, part) }) {
		return nil, false // the control plane lists the settings nevertheless
	}
	switch ofTop := len(f.Path) == 0 || len(f.Path) == 2 && f.Path[1] == "targetRef"; {
	case f.Code == "selects-no-proxy", f.Code == "dangling-target" && ofTop:
		return slices.Delete(world, i, i+1), true
	case f.Code == "overridden-everywhere" && f.Path[1] == "to", f.Code == "dangling-target":
		world[i] = world[i].Clone()
		entries := world[i].Spec()["to"].([]any)
		at := f.Path[2].(int)
		kind, _ := tree.Root(entries[at].(object)).Get("targetRef", "kind").Text()
		if kind == kuma.KindMeshHTTPRoute {
			return nil, false // its presence excludes the policy from the rules by tag
		}
		world[i].Spec()["to"] = slices.Delete(entries, at, at+1)
		return world, true
	default:
		return nil, false
	}
}

// destinationsIn returns the possible destinations of traffic in a mesh.
func destinationsIn(world []kuma.Resource, meshName string) map[string]rules.Destination {
	all := map[string]rules.Destination{}
	for _, r := range world {
		if r.Mesh != meshName {
			continue
		}
		switch r.Type {
		case kuma.KindMeshHTTPRoute:
			all[r.Key().String()] = rules.Destination{Route: r.ID()}
		case kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService:
			for _, section := range append(rules.Sections(r), "") {
				all[r.Key().String()+" "+section] = rules.Destination{Resource: r.ID(), Section: section}
			}
		case kuma.KindDataplane:
			for _, in := range tree.Root(r.Body).Get("networking", "inbound").Items() {
				if name, ok := in.Get("tags", kuma.TagService).Text(); ok {
					all["tag "+name] = rules.Destination{Tags: map[string]string{kuma.TagService: name}}
				}
			}
		}
	}
	return all
}

// confsOf returns the conf that each proxy uses for each destination.
func confsOf(t *testing.T, world []kuma.Resource, destinations map[string]rules.Destination, meshName, policyType string) map[string]any {
	t.Helper()
	s := rules.NewSnapshot(world)
	confs := map[string]any{}
	for _, dp := range s.Dataplanes(meshName) {
		r, err := s.Rules(meshName, dp, policyType)
		testworld.NoError(t, err)
		for name, d := range destinations {
			if d.Tags != nil && policyType == kuma.KindMeshHTTPRoute {
				continue // there is a rule for each hostname, and a lookup only returns the first
			}
			if r.OfGateway() { // which uses the rules of each listener, not those of all together
				for _, l := range r.LookupOnListeners(d) {
					confs[fmt.Sprintf("%s on %s to %s", dp, l.Listener, name)] = sorted(t, l.Conf)
				}
				continue
			}
			found, _ := r.Lookup(d)
			confs[dp+" to "+name] = sorted(t, found.Conf)
		}
		if r.ProxyRule != nil {
			confs[dp] = r.ProxyRule.Conf
		}
	}
	return confs
}

// nullField matches fields that merging can add to or remove from a free-form value
// (matching.md §9.6).
var nullField = regexp.MustCompile(`"[^"]+":null,?`)

// sorted returns confs as sorted JSON, because the order of hostnames is irrelevant.
func sorted(t *testing.T, confs []any) []string {
	t.Helper()
	var out []string
	for _, conf := range confs {
		text, err := json.Marshal(conf)
		testworld.NoError(t, err)
		out = append(out, nullField.ReplaceAllString(string(text), ""))
	}
	slices.Sort(out)
	return out
}
