package upgrade

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// proposal is a change of one document, or what the report says about it if there is none. A proposal without items is ignored.
type proposal struct {
	put    []kuma.Resource // new and changed documents
	remove []kuma.Key
	items  []Item // reported if the proposal is accepted
	unseen string // what it changes on 2.14 that the engine does not compare (kuma3.md §6.2)
}

// with returns documents after some proposals.
func with(resources []kuma.Resource, proposals ...proposal) []kuma.Resource {
	out := slices.Clone(resources)
	at := positions(out)
	for _, p := range proposals {
		for _, r := range p.put {
			i, ok := at[r.Key()]
			if !ok {
				i = len(out)
				at[r.Key()] = i
				out = append(out, r)
			}
			out[i] = r
		}
	}
	removed := map[kuma.Key]bool{}
	for _, p := range proposals {
		for _, key := range p.remove {
			removed[key] = true
		}
	}
	return slices.DeleteFunc(out, func(r kuma.Resource) bool { return removed[r.Key()] })
}

// run runs a rewrite. In stage one it accepts what is valid on 2.14 and changes nothing
// there, in stage two everything.
func (w *world) run(r rewrite) {
	all := slices.DeleteFunc(r.propose(w), func(p proposal) bool { return len(p.items) == 0 })
	for _, p := range all {
		for i := range p.items {
			p.items[i].Rewrite = r.id
		}
	}
	if w.final {
		w.accept(2, all...)
		return
	}
	var proposals []proposal
	for _, p := range all {
		switch {
		case len(p.put)+len(p.remove) == 0: // stage two may find another way
		case w.isLeft(p): // in the pass before
		case !w.accepted214(p):
			w.leave(p, "2.14 or the plan does not accept this, so only stage two contains it.")
		case p.unseen != "":
			w.leave(p, "On 2.14, "+p.unseen+". Only stage two contains this.")
		case w.routesAtGateway(p):
			w.leave(p, "The route selects builtin gateways, for which a reference by labels gives other routes on 2.14, so only "+
				"stage two contains it.",
				"Replace the gateways first, then rewrite again: more can then be done in stage one.")
		default:
			proposals = append(proposals, p)
		}
	}
	if w.suspects == nil {
		w.acceptNeutral(proposals)
		return
	}
	safe, suspect := w.divideBySuspicion(proposals)
	if len(safe) > 0 {
		w.accept(1, safe...)
	}
	w.acceptNeutral(suspect)
}

// divideBySuspicion divides proposals into those that can be accepted without a comparison of their
// own, and the others. What a suspect proposal changes is suspect as well.
func (w *world) divideBySuspicion(proposals []proposal) (safe, suspect []proposal) {
	for _, p := range proposals {
		if !slices.ContainsFunc(p.keys(), func(key kuma.Key) bool { return w.suspects[inAnyMesh(key)] }) {
			safe = append(safe, p)
			continue
		}
		suspect = append(suspect, p)
		for _, key := range p.keys() {
			w.suspects[inAnyMesh(key)] = true
		}
	}
	return safe, suspect
}

// suspectsWith returns the suspects and the documents that changes name, or nil if all of these are
// suspect already.
func (w *world) suspectsWith(c Changes) map[kuma.Key]bool {
	all := maps.Clone(w.suspects)
	maps.Copy(all, c.named())
	if len(all) == len(w.suspects) {
		return nil
	}
	return all
}

// keys returns the keys of the documents that a proposal changes.
func (p proposal) keys() []kuma.Key {
	return append(slices.Clone(p.remove), phrase.Each(p.put, kuma.Resource.Key)...)
}

// accept applies proposals, and reports them.
func (w *world) accept(stage int, proposals ...proposal) {
	if slices.ContainsFunc(proposals, func(p proposal) bool { return len(p.keys()) > 0 }) {
		w.set(with(w.resources, proposals...))
	}
	for _, p := range proposals {
		for _, key := range p.keys() {
			delete(w.left, key)
		}
		for i := range p.items {
			if len(p.put)+len(p.remove) > 0 && p.items[i].Stage == 0 {
				p.items[i].Stage = stage
			}
		}
		w.report.add(p.items...)
	}
}

// accepted214 reports whether 2.14 and this provider accept the documents of a proposal, apart from
// what the provider rejects already.
func (w *world) accepted214(p proposal) bool {
	return !slices.ContainsFunc(p.put, func(r kuma.Resource) bool {
		is := w.check(r)
		if was := w.find(r.Key()); len(is.refused) > 0 && was != nil {
			return is.invalid || len(is.refused) > len(w.refused(*was))
		}
		return is.invalid || len(is.refused) > 0
	})
}

// checked is what 2.14 and this provider say of a document.
type checked struct {
	document kuma.Resource
	invalid  bool          // 2.14 rejects it
	refused  []def.Problem // what only the provider rejects
}

// check checks a document, once for all attempts at stage one, which propose most documents again.
func (w *world) check(r kuma.Resource) checked {
	known, ok := w.checks[r.Key()]
	if !ok || !reflect.DeepEqual(known.document, r) {
		k, _ := kinds.Find(r.Type)
		doc := r.Document()
		invalid := len(def.Errors(slices.Concat(k.Validate(doc), k.ValidateRelease(doc, w.ControlPlane.Release)))) > 0
		known = checked{r, invalid, w.refused(r)}
		w.checks[r.Key()] = known
	}
	return known
}

// refused returns what this provider rejects of a document that 2.14 stores.
func (w *world) refused(r kuma.Resource) []def.Problem {
	k, _ := kinds.Find(r.Type)
	return def.Errors(k.ValidateDesign(r.Document(), w.ControlPlane.Release))
}

// routesAtGateway reports whether a proposal changes a route of a builtin gateway: whose
// configuration then changes, although `_rules` does not (kuma3.md §6.2).
func (w *world) routesAtGateway(p proposal) bool {
	gateways := w.special().gateways
	return len(gateways) > 0 && slices.ContainsFunc(p.put, func(r kuma.Resource) bool {
		return rules.IsRoute(r.Type) && slices.ContainsFunc(w.snapshot().Selected(r.Key()), func(dataplane string) bool {
			return gateways[kuma.Key{Type: kuma.KindDataplane, Mesh: r.Mesh, Name: dataplane}]
		})
	})
}

// specialProxies are the Dataplanes for which references by name and by labels differ on 2.14.
type specialProxies struct {
	gateways map[kuma.Key]bool     // builtin ones
	tags     map[kuma.Key][]string // values of kuma.io/service of their outbounds
}

// special returns the special proxies of the documents.
func (w *world) special() specialProxies {
	if w.specials.gateways == nil {
		w.specials = specialProxies{map[kuma.Key]bool{}, map[kuma.Key][]string{}}
		for _, d := range w.resources {
			if d.Type != kuma.KindDataplane {
				continue
			}
			if isBuiltin(d) {
				w.specials.gateways[d.Key()] = true
			}
			for _, o := range rules.Outbounds(d) {
				if o.Tag != "" {
					w.specials.tags[d.Key()] = append(w.specials.tags[d.Key()], o.Tag)
				}
			}
		}
	}
	return w.specials
}

// acceptNeutral accepts as many proposals as change nothing on 2.14. Those that the changes name, and
// then halves of them, are compared again without the others, until it knows the ones to leave for
// stage two, or has compared the mesh often enough.
func (w *world) acceptNeutral(proposals []proposal) {
	budget := max(minComparisons, comparedResources/max(1, len(w.resources)))
	last := Changes{}.in(w.resources)
	if w.suspects != nil {
		last = w.last
		last.documents = with(w.resources, proposals...)
	}
	w.acceptWithin(proposals, &budget, last)
}

// Limits of how often the mesh is compared for the proposals of one rewrite: each comparison takes as
// long as the mesh has resources.
const minComparisons, comparedResources = 6, 100_000

// acceptWithin accepts proposals with the comparisons that are left. Only what the last comparison found, and what depends on
// documents that differ since, is compared.
func (w *world) acceptWithin(proposals []proposal, budget *int, last found) {
	if len(proposals) == 0 {
		return
	}
	if *budget <= 0 {
		for _, p := range proposals {
			w.leave(p, "The mesh is too large to compare it for each of "+phrase.Count(len(proposals), "document", "documents")+
				", of which some change proxies on 2.14, so only stage two contains this.",
				"Rewrite again after stage one: fewer documents are then compared.")
		}
		return
	}
	*budget--
	resources := with(w.resources, proposals...)
	after := w.compared(resources, w.ControlPlane.Release)
	changes, _ := w.changes(w.before(), after, last.affected(resources)...)
	switch {
	case changes.None():
		w.accept(1, proposals...)
		w.unchanged = after
		return
	case len(proposals) == 1:
		w.leaveChanging(proposals[0], changes)
		return
	}
	rest, named := divide(proposals, changes)
	if len(rest) == 0 {
		var explained bool
		rest, explained = w.leaveCulprits(proposals, changes)
		if named = nil; explained && w.suspects != nil { // stage one compares the result
			w.accept(1, rest...)
			return
		}
	}
	if len(rest) == len(proposals) {
		half := len(proposals) / 2 //nolint:mnd // halves
		rest, named = proposals[:half], proposals[half:]
	}
	w.acceptWithin(rest, budget, changes.in(resources))
	w.acceptWithin(named, budget, Changes{}.in(w.resources))
}

// divide divides proposals into those that changes do not name, and the others.
func divide(proposals []proposal, c Changes) (rest, named []proposal) {
	keys := c.named()
	for _, p := range proposals {
		if slices.ContainsFunc(p.keys(), func(key kuma.Key) bool { return keys[inAnyMesh(key)] }) {
			named = append(named, p)
		} else {
			rest = append(rest, p)
		}
	}
	return rest, named
}

// leaveCulprits leaves the proposals which are the only ones that a change names. It returns the others, and whether these proposals
// explain all changes.
func (w *world) leaveCulprits(proposals []proposal, c Changes) (others []proposal, explained bool) {
	of := map[kuma.Key][]int{}
	for i, p := range proposals {
		for _, key := range p.keys() {
			of[inAnyMesh(key)] = append(of[inAnyMesh(key)], i)
		}
	}
	changes := map[int]Changes{}
	explained = len(c.Access)+len(c.Requests)+len(c.Frozen) == 0
	for _, r := range c.Settings {
		var concerned []int
		for _, key := range namedBy(r) {
			concerned = append(concerned, of[key]...)
		}
		slices.Sort(concerned)
		if concerned = slices.Compact(concerned); len(concerned) == 1 {
			changes[concerned[0]] = Changes{Settings: append(changes[concerned[0]].Settings, r)}
		} else {
			explained = false
		}
	}
	for i, p := range proposals {
		if found, culprit := changes[i]; culprit {
			w.leaveChanging(p, found)
		} else {
			others = append(others, p)
		}
	}
	return others, explained
}

// named returns the documents that changes of settings name, in any mesh.
func (c Changes) named() map[kuma.Key]bool {
	keys := map[kuma.Key]bool{}
	for _, r := range c.Settings {
		for _, key := range namedBy(r) {
			keys[key] = true
		}
	}
	return keys
}

// namedBy returns the documents that a change of settings names, in any mesh.
func namedBy(r impact.Row) []kuma.Key {
	var keys []kuma.Key
	for _, v := range []*impact.Value{r.Before, r.After} {
		if v != nil {
			keys = append(keys, kuma.Key{Type: v.SetBy.Type, Name: v.SetBy.Name})
		}
	}
	if r.Type == kuma.KindDataplane {
		for _, name := range r.Dataplanes {
			keys = append(keys, kuma.Key{Type: kuma.KindDataplane, Name: name})
		}
	}
	return keys
}

func inAnyMesh(key kuma.Key) kuma.Key { return kuma.Key{Type: key.Type, Name: key.Name} }

// isLeft reports whether a proposal has been left for stage two, and its documents have not changed since.
func (w *world) isLeft(p proposal) bool {
	return !slices.ContainsFunc(p.keys(), func(key kuma.Key) bool { return !w.left[key][p.items[0].Rewrite+p.items[0].Path] })
}

// leave reports why a proposal waits for stage two.
func (w *world) leave(p proposal, why string, choices ...string) {
	for _, key := range p.keys() {
		if w.left[key] == nil {
			w.left[key] = map[string]bool{}
		}
		w.left[key][p.items[0].Rewrite+p.items[0].Path] = true
	}
	w.report.add(Item{
		Key: p.items[0].Key, Path: p.items[0].Path, Rewrite: p.items[0].Rewrite, Action: Deferred, Stage: 2, Text: why,
		Choices: choices,
	})
}

// leaveChanging reports what a proposal changes on 2.14.
func (w *world) leaveChanging(p proposal, c Changes) {
	w.leave(p, "On 2.14 this changes proxies, so only stage two contains it: "+describe(c)+".",
		"If the order of policies changes, give it a name that comes before those that it overrides.")
}

// changes returns what differs for the proxies between two states of all meshes, and the impact
// on each mesh: with types, of the settings only those of policies of these types.
func (w *world) changes(before, after *rules.Snapshot, types ...string) (c Changes, all []impact.Impact) {
	for _, mesh := range meshes(w.resources...) {
		if *w.failed != nil {
			return Changes{}, nil
		}
		found := w.compareMesh(before, after, mesh, types...)
		all = append(all, found)
		c.Settings = append(c.Settings, found.Rows()...)
		c.Access = slices.Concat(c.Access, found.AccessLost, found.AccessGained)
		c.Requests = append(c.Requests, found.RequestsChanged...)
		c.Frozen = append(c.Frozen, found.Frozen...)
	}
	return c, all
}

// compareMesh returns what differs for the proxies of a mesh, without what only writes down
// what 2.14 does anyway.
func (w *world) compareMesh(before, after *rules.Snapshot, mesh string, types ...string) impact.Impact {
	found, err := impact.CompareProxies(before, after, mesh, types...) // what was rewritten has no effect
	*w.failed = cmp.Or(*w.failed, err)
	for i := range found.Groups {
		g := &found.Groups[i]
		adds := after.Release() == before.Release() && !slices.ContainsFunc(g.Dataplanes, func(name string) bool {
			return !w.addsListeners[kuma.Key{Type: kuma.KindDataplane, Mesh: mesh, Name: name}]
		})
		g.Changes = slices.DeleteFunc(g.Changes, func(c *impact.Change) bool { return adds && c.AddsService() || w.isExplicit(c, before, mesh) })
		if after.Release() != before.Release() { // on 2.14, the configuration differs
			g.Changes = withoutSameClients(g.Changes, before, after, mesh)
		}
	}
	found.Groups = slices.DeleteFunc(found.Groups, func(g impact.Group) bool {
		if len(g.Changes) > 0 {
			return false
		}
		found.Unchanged = append(found.Unchanged, g.Dataplanes...)
		return true
	})
	return w.equal.impact(found)
}

// describe describes the first changes in words.
func describe(c Changes) string {
	const most = 3
	var texts []string
	for _, r := range c.Settings {
		texts = append(texts, r.String()+" ("+phrase.Some(r.Dataplanes, most, "")+")")
	}
	for _, a := range c.Access {
		texts = append(texts, fmt.Sprintf("access of %s to %s port %d from %s to %s", phrase.Some(a.Clients, most, ""), a.Port.Resource.Name,
			a.Port.Number, a.Before.Verdict, a.After.Verdict))
	}
	for _, r := range c.Requests {
		texts = append(texts, r.String())
	}
	for _, f := range c.Frozen {
		texts = append(texts, phrase.Some(f.Dataplanes, most, "")+" can no longer be configured, because "+f.Reason)
	}
	return phrase.Some(texts, most, "changes")
}

// noService is the tag that 2.14 makes of a reference by labels in rules for outbounds by tags: no
// outbound has it.
const noService = kuma.TagService + "="

// isExplicit reports whether a change only writes down what 2.14 does anyway: it lets proxies connect to everything
// outside the mesh (release3.md §6), and follows the settings of the Mesh.
func (w *world) isExplicit(c *impact.Change, before *rules.Snapshot, mesh string) bool {
	if slices.Contains(strings.Split(c.Destination, ","), noService) {
		return true
	}
	switch c.Type {
	case kinds.MeshPassthrough.Name:
		return len(before.Resources(mesh, kinds.MeshPassthrough.Name)) == 0 && c.Path == "passthroughMode" &&
			c.After.JSON == phrase.JSON(passthroughMode(*before.Resource(kuma.MeshKey(mesh))))
	default:
		return c.Before == nil && w.fromMesh[kuma.Key{Type: c.After.SetBy.Type, Mesh: mesh, Name: c.After.SetBy.Name}]
	}
}
