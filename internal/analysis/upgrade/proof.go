package upgrade

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Proof is the comparison of the settings, services and clients of all proxies.
type Proof struct {
	StageOne Changes // from the input to stage one, both on 2.14
	StageTwo Changes // from stage one on 2.14 to stage two on Kuma 3.0
	// Listeners are the Dataplanes to which stage one adds listeners, by reference beside those by tag. They are not
	// among the changes.
	Listeners []string
	// Idle are the Dataplanes to whose gRPC connections stage two gives an idle timeout. They are not among the changes.
	Idle []string
	// NotCompared says of each stage what the comparison does not show.
	NotCompared [2][]string
	telemetry   []string // Dataplanes whose telemetry stage two changes
	texts       [2]string
}

// UnchangedOn2 reports whether stage one changes no proxy, as far as it is compared.
func (p Proof) UnchangedOn2() bool { return p.StageOne.None() && len(p.Listeners) == 0 }

// notCompared says what the comparison of a stage does not show: the telemetry of policies that say what the Mesh and
// older kinds said, or that name a collector in another way; and what older kinds do that only 2.14 reads.
func (w *world) notCompared(stage int) (all []string) {
	var telemetry, older []string
	for _, i := range w.report.items {
		added := i.Action == Added && w.fromMesh[i.Key]
		switch name := i.Key.Local(); {
		case i.Stage == stage && isTelemetry(i.Key.Type) && (added || i.Rewrite == rewriteCollectors):
			telemetry = append(telemetry, name)
		case stage == 2 && isRemovedKind(i.Key.Type) && (i.Action == Deferred || i.Action == Manual):
			older = append(older, name)
		}
	}
	for what, names := range map[string][]string{"the telemetry of ": telemetry, olderOnly: older} {
		if names = phrase.Sorted(names); len(names) > 0 {
			all = append(all, what+phrase.Some(names, maxNames, ""))
		}
	}
	slices.Sort(all)
	return all
}

const olderOnly = "what only 2.14 reads, without which the values before are computed: "

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

// found is what a comparison of documents found. Without documents, there was none.
type found struct {
	documents []kuma.Resource
	types     map[string]bool // of policies whose settings change
	others    bool            // not only settings of policies change
}

// in returns what was found in documents.
func (c Changes) in(documents []kuma.Resource) found {
	f := found{documents, map[string]bool{}, len(c.Access)+len(c.Requests)+len(c.Frozen) > 0}
	for _, r := range c.Settings {
		f.types[r.Type] = true
	}
	for t := range f.types {
		f.others = f.others || !slices.Contains(kinds.PolicyTypes(), t)
	}
	return f
}

// affected returns the types of policies whose settings change, or can change differently if other
// documents replace those that a comparison was of, nil for all. Types depend on other policies only if these are routes.
func (f found) affected(is []kuma.Resource) []string {
	if f.documents == nil || f.others {
		return nil
	}
	was, types, all := f.documents, maps.Clone(f.types), false
	for _, sides := range [][2][]kuma.Resource{{was, is}, {is, was}} {
		at := positions(sides[0])
		for _, r := range sides[1] {
			if i, ok := at[r.Key()]; !ok || !isUnchanged(sides[0][i], r) && !reflect.DeepEqual(sides[0][i], r) {
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
	changes, _ := w.changes(w.compared(before, o.ControlPlane.Release), w.compared(after, o.ControlPlane.Release))
	return changes, *w.failed
}

// comparison is what differs between two states of all meshes, and the impact on each mesh.
type comparison struct {
	changes Changes
	impacts []impact.Impact
}

// compare compares all settings, or only those of policies of some types.
func (w *world) compare(before, after *rules.Snapshot, types ...string) comparison {
	w.forget()
	changes, all := w.changes(before, after, types...)
	return comparison{changes, all}
}

// summary describes a comparison of the documents.
func (w *world) summary(c comparison) string {
	text, omitted := "", 0
	for _, found := range c.impacts {
		text, omitted = text+found.Summary(), omitted+found.RequestsNotCompared
	}
	switch {
	case !slices.ContainsFunc(w.resources, func(r kuma.Resource) bool { return r.Type == kuma.KindDataplane }):
		return "Nothing was compared: the documents contain no Dataplane.\n"
	case !c.changes.None():
		return text
	case omitted > 0:
		return fmt.Sprintf(
			"No proxy changes. Of the requests that the changed routes concern, %d were not compared; the settings of all routes were.\n",
			omitted)
	default:
		return "No proxy changes.\n"
	}
}

// String describes both comparisons.
func (p Proof) String() string {
	var b strings.Builder
	for i, title := range []string{"Stage one, on Kuma 2.14", "Stage two, on Kuma 3.0"} {
		fmt.Fprintf(&b, "%s: ", title)
		if i == 0 && len(p.Listeners) > 0 {
			fmt.Fprintf(&b, "%s Otherwise: ", p.listeners())
		}
		if i == 1 && len(p.telemetry) > 0 {
			fmt.Fprintf(&b, "The telemetry of %s changes. Otherwise: ", phrase.Some(phrase.Sorted(p.telemetry), maxNames, ""))
		}
		if i == 1 && len(p.Idle) > 0 {
			fmt.Fprintf(&b, "gRPC connections of %s that are idle for an hour are closed, because no TrafficRoute is left. Otherwise: ",
				phrase.Some(phrase.Sorted(p.Idle), maxNames, ""))
		}
		b.WriteString(p.texts[i])
		for _, what := range p.NotCompared[i] {
			fmt.Fprintf(&b, "Not compared: %s.\n", what)
		}
	}
	return b.String()
}

// listeners describes the listeners that stage one adds.
func (p Proof) listeners() string {
	return "Listeners by reference are added to " + phrase.Some(p.Listeners, maxNames, "") + ", for the services of reachableServices."
}

// withTelemetry returns the Dataplanes whose telemetry the policies change that stage two adds for settings of the Mesh
// and older kinds: s has its documents.
func (w *world) withTelemetry(s *rules.Snapshot) (names []string) {
	for _, i := range w.report.items {
		if i.Stage == 2 && i.Action == Added && isTelemetry(i.Key.Type) && w.fromMesh[i.Key] {
			names = append(names, w.equal.names(i.Key.Mesh, s.Selected(i.Key))...)
		}
	}
	return names
}

// withIdleTimeout returns the Dataplanes whose gRPC connections have no idle timeout beside a TrafficRoute, and that of Envoy
// without one (proxies.md §6).
func (w *world) withIdleTimeout() (names []string) {
	for _, mesh := range w.of(kuma.KindMesh) {
		if len(w.older(mesh.Name, kinds.TrafficRoute)) == 0 {
			continue
		}
		idle := func(_ kuma.Resource, conf tree.Node, _ string) (map[string]any, string) {
			if d := duration(conf.Get("http", "idleTimeout")); d != 0 {
				return map[string]any{"idleTimeout": d.String()}, ""
			}
			return nil, ""
		}
		timeouts := olderResources{olderKind{conf: idle}, w, mesh, w.older(mesh.Name, "Timeout"), w.protocols(mesh.Name)}
		for _, d := range w.proxiesOf(mesh.Name) {
			if slices.ContainsFunc(w.outbounds(*d.Resource).Tags(), func(service string) bool {
				settings, why := timeouts.ofProxy(d.tags, service)
				return timeouts.services[service] == "grpc" && settings == nil && why == ""
			}) {
				names = append(names, w.equal.names(mesh.Name, []string{d.Name})...)
			}
		}
	}
	return names
}

// Dataplanes returns the names of the proxies that stage two changes, in ascending order: those with other settings, services,
// telemetry or idle timeouts, whose requests go elsewhere, or that gain or lose access.
func (p Proof) Dataplanes() []string {
	names := slices.Concat(p.telemetry, p.Idle)
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
	return phrase.Sorted(names)
}
