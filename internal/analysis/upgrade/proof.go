package upgrade

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Proof is the comparison of the settings, services and clients of all proxies.
type Proof struct {
	StageOne Changes // from the input to stage one, both on 2.14
	StageTwo Changes // from stage one on 2.14 to stage two on Kuma 3.0
	texts    [2]string
}

// Changes is what differs for the proxies between two states of all meshes.
type Changes struct {
	Settings []impact.Row
	Access   []access.Change // who can call services, which also depends on the certificates of both sides
	Requests []impact.RequestChange
	Frozen   []impact.Frozen // proxies that can no longer be configured
}

// None reports whether no proxy changes.
func (c Changes) None() bool {
	return len(c.Settings)+len(c.Access)+len(c.Requests)+len(c.Frozen) == 0
}

// affected returns the types of policies whose settings change, or can change differently if other
// documents replace those that a comparison was of. Types depend on other policies only if these are routes.
func (c Changes) affected(was, is []kuma.Resource) []string {
	types := map[string]bool{}
	for _, r := range c.Settings {
		types[r.Type] = true
	}
	all := false
	for _, sides := range [][2][]kuma.Resource{{was, is}, {is, was}} {
		at := positions(sides[0])
		for _, r := range sides[1] {
			if i, ok := at[r.Key()]; !ok || !reflect.DeepEqual(sides[0][i], r) {
				k, _ := kinds.Find(r.Type)
				types[r.Type], all = true, all || k.Policy == nil || rules.IsRoute(r.Type)
			}
		}
	}
	return slices.DeleteFunc(kinds.PolicyTypes(), func(t string) bool { return !all && !types[t] })
}

// Compare returns what differs for the proxies on 2.14 if other documents replace those that it
// stores: nothing if they only say what it does anyway.
func Compare(before, after []kuma.Resource, o Options) (Changes, error) {
	w := newWorld(before, o)
	changes, _, err := w.changes(w.compared(before, o.ControlPlane.Release), w.compared(after, o.ControlPlane.Release))
	return changes, err
}

// comparison is what differs between two states of all meshes, also as text.
type comparison struct {
	changes Changes
	text    string
}

// compare compares all settings, or only those of policies of some types.
func (w *world) compare(before, after *rules.Snapshot, types ...string) (comparison, error) {
	w.forget()
	changes, all, err := w.changes(before, after, types...)
	if !slices.ContainsFunc(w.resources, func(r kuma.Resource) bool { return r.Type == kuma.KindDataplane }) {
		return comparison{changes, "Nothing was compared: the documents contain no Dataplane.\n"}, err
	}
	if err != nil || changes.None() {
		omitted := 0
		for _, found := range all {
			omitted += found.RequestsNotCompared
		}
		if omitted > 0 {
			return comparison{
				changes,
				fmt.Sprintf(
					"No proxy changes. Of the requests that the changed routes concern, %d were not compared; the settings of all routes were.\n",
					omitted),
			}, err
		}
		return comparison{changes, "No proxy changes.\n"}, err
	}
	var b strings.Builder
	for _, found := range all {
		b.WriteString(found.Summary())
	}
	return comparison{changes, b.String()}, nil
}

// String describes both comparisons.
func (p Proof) String() string {
	var b strings.Builder
	for i, title := range []string{"Stage one, on Kuma 2.14", "Stage two, on Kuma 3.0"} {
		fmt.Fprintf(&b, "%s: %s", title, p.texts[i])
	}
	return b.String()
}

// Dataplanes returns the names of the proxies that stage two changes, in ascending order: those
// with other settings or services, whose requests go elsewhere, or that gain or lose access.
func (p Proof) Dataplanes() []string {
	var names []string
	for _, r := range p.StageTwo.Settings {
		names = append(names, r.Dataplanes...)
	}
	for _, r := range p.StageTwo.Requests {
		names = append(names, r.Clients...)
	}
	for _, f := range p.StageTwo.Frozen {
		names = append(names, f.Dataplanes...)
	}
	for _, a := range p.StageTwo.Access {
		names = append(names, a.Dataplanes()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
