package upgrade

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// convertOlder adds the policies that have the effect of older kinds, before all other rewrites
// (R15). The engine does not evaluate older kinds: what it computes for the policies is compared with
// what the most specific older resource sets, for each proxy and service. Stage two adds those that
// would change something on 2.14.
func (w *world) convertOlder(stage int) {
	for _, mesh := range w.of(kuma.KindMesh) {
		for _, k := range olderKinds() {
			o := olderResources{olderKind: k, w: w, mesh: mesh, resources: w.older(mesh.Name, k.name)}
			if w.final && !w.waits(o.resources) {
				continue
			}
			p := o.proposal()
			for i := range p.items {
				p.items[i].Rewrite = rewriteOlder
			}
			switch {
			case p.unseen != "" && stage == 1:
				for _, r := range o.resources {
					w.report.add(Item{Key: r.Key(), Rewrite: rewriteOlder, Condition: "K3-102", Action: Deferred, Stage: 2, Text: "On 2.14, " + p.unseen +
						", so only stage two replaces this resource."})
				}
			default:
				for _, policy := range p.put {
					w.fromMesh[policy.Key()] = true
				}
				w.accept(stage, p)
			}
		}
	}
}

const rewriteOlder = "R15"

// waits reports whether stage two replaces older resources.
func (w *world) waits(resources []kuma.Resource) bool {
	return len(resources) > 0 &&
		slices.ContainsFunc(w.report.of[resources[0].Key()], func(i Item) bool { return i.Rewrite == rewriteOlder && i.Action == Deferred })
}

// remains reports whether stage one does not replace an older resource.
func (w *world) remains(r kuma.Resource) bool {
	return slices.ContainsFunc(w.report.of[r.Key()], func(i Item) bool {
		return i.Rewrite == rewriteOlder && (i.Action == Deferred || i.Action == Manual)
	})
}

// older returns the resources of an older kind in a mesh.
func (w *world) older(mesh, kind string) []kuma.Resource {
	return slices.DeleteFunc(w.of(kind), func(r kuma.Resource) bool { return r.Mesh != mesh })
}

// olderResources are the resources of an older kind in a mesh.
type olderResources struct {
	olderKind
	w         *world
	mesh      kuma.Resource
	resources []kuma.Resource
	services  map[string]string // protocols by service
}

// selector is a selector by tags of an older resource.
type selector map[string]string

// everything selects all proxies, and all services.
var everything = selector{kuma.TagService: "*"}

// selects reports whether tags, or those of another selector, are among the selected ones.
func (s selector) selects(tags map[string]string) bool { return rules.HasTags(tags, s) }

// specific counts the values that a selector names, and those that it leaves open.
func (s selector) specific() (named, open int) {
	for _, value := range s {
		if value == "*" {
			open++
		} else {
			named++
		}
	}
	return named, open
}

// ref returns the reference by which a policy selects the same proxies, or why there is none.
func (s selector) ref() (ref map[string]any, why string) {
	tags := map[string]any{}
	for key, value := range s {
		switch {
		case value != "*":
			tags[key] = value
		case key != kuma.TagService:
			return nil, "The tag " + key + " may have any value, which policies cannot express."
		}
	}
	if len(tags) == 0 {
		return map[string]any{"kind": kuma.KindMesh}, ""
	}
	return map[string]any{"kind": kuma.KindMeshSubset, "tags": tags}, ""
}

// selectors returns the selectors of a list of a resource.
func selectors(r kuma.Resource, list string) []selector {
	return phrase.Each(tree.Root(r.Body).Get(list).Items(), func(n tree.Node) selector { return tree.StringMap(n.Get("match").Value()) })
}

// winner returns the resource that decides about connections from tags to a service: the one that
// names most values, and then leaves most open. Of equal ones the newest does, which documents do
// not show: they are returned as well. With "*", the service is none that a resource names.
func (o olderResources) winner(tags map[string]string, service string) (found *kuma.Resource, equal []kuma.Resource) {
	return o.mostSpecific(func(r kuma.Resource) (all [][]selector) {
		for _, source := range selectors(r, "sources") {
			for _, destination := range selectors(r, "destinations") {
				if source.selects(tags) && destination.selects(selector{kuma.TagService: service}) {
					all = append(all, []selector{source, destination})
				}
			}
		}
		return all
	})
}

// mostSpecific returns the resource that selects something by the most specific selectors, which selections returns, and others
// that select it as specifically.
func (o olderResources) mostSpecific(selections func(kuma.Resource) [][]selector) (found *kuma.Resource, equal []kuma.Resource) {
	var best [2]int
	for _, r := range o.resources {
		for _, selection := range selections(r) {
			var rank [2]int
			for _, s := range selection {
				named, open := s.specific()
				rank[0], rank[1] = rank[0]+named, rank[1]+open
			}
			switch order := slices.Compare(rank[:], best[:]); {
			case order > 0 || found == nil:
				best, found, equal = rank, &r, nil
			case order == 0 && r.Key() != found.Key():
				equal = append(equal, r)
			}
		}
	}
	return found, equal
}

// settings returns the settings of connections from tags to a service; nil without any.
func (o olderResources) settings(tags map[string]string, service, protocol string) (settings map[string]any, why string) {
	found, equal := o.winner(tags, service)
	switch {
	case found != nil:
	case o.implied:
		found = &kuma.Resource{}
	default:
		return nil, ""
	}
	settings, why = o.conf(o.mesh, tree.Root(found.Body).Get("conf"), protocol)
	for _, r := range equal {
		if other, _ := o.conf(o.mesh, tree.Root(r.Body).Get("conf"), protocol); !tree.Equal(any(other), any(settings)) {
			return nil, sameRank(*found, r)
		}
	}
	return settings, why
}

// proposal returns the policies that replace the resources, or what the report says instead.
func (o olderResources) proposal() proposal {
	if i := slices.IndexFunc(o.resources, func(r kuma.Resource) bool { return o.withoutSuccessor(r) != "" }); i >= 0 {
		own := o
		own.resources = o.resources[i : i+1]
		o.resources = slices.Delete(slices.Clone(o.resources), i, i+1)
		p := o.proposal()
		p.items = append(p.items, own.each(Removed, 2, o.withoutSuccessor(own.resources[0])).items...)
		return p
	}
	if len(o.resources) == 0 && !o.implied {
		return proposal{}
	}
	convert := o.convert
	if convert == nil {
		if len(o.w.older(o.mesh.Name, kinds.TrafficRoute)) == 0 {
			return o.each(Removed, 2, "Without a TrafficRoute in the mesh, this resource has no effect on sidecars, and nothing replaces it.")
		}
		convert = olderResources.outgoing
	}
	others := slices.DeleteFunc(slices.Clone(o.w.proxiesOf(o.mesh.Name)), func(d taggedProxy) bool { return !o.hasPolicy(d.Name) })
	overrides := o.implied || o.name == kinds.TrafficPermission
	if len(others) > 0 && overrides && len(others) == len(o.w.proxiesOf(o.mesh.Name)) {
		if why := o.notOverridden(); why != "" {
			return o.each(Manual, 0, why+" All "+o.name+"s stay: the most specific one decides.", "Delete them with the TrafficRoutes.")
		}
		return o.each(Removed, 2, "The "+o.policy+"s that select all proxies override this resource, and nothing replaces it.")
	}
	why, isReplaced := "", len(others) > 0 && o.isReplaced()
	if len(others) > 0 && !isReplaced && o.name != kinds.TrafficPermission {
		why = fmt.Sprintf("Dataplane %s has a %s as well. Which settings of both apply is not computed.", others[0].Name, o.policy)
	}
	if slices.ContainsFunc(o.resources, func(r kuma.Resource) bool {
		return r.Body["tags"] == nil && len(selectors(r, "selectors")) == 0 && len(selectors(r, "sources"))*len(selectors(r, "destinations")) == 0
	}) {
		why = "One of them selects nothing, or the documents do not show what."
	}
	var p proposal
	if why == "" && !isReplaced {
		p, why = convert(o)
	}
	if why != "" {
		return o.each(Manual, 0, why, cmp.Or(o.byHand, "Write a "+o.policy+" by hand, then delete this resource."))
	}
	if len(p.put) == 0 && !isReplaced {
		return o.each(Removed, 2, o.without)
	}
	for _, r := range o.resources {
		item := Item{Key: r.Key(), Condition: "K3-102", Action: Removed, Stage: 2, Text: "A " + o.policy + " replaces it."}
		switch {
		case p.unseen != "":
		case o.replaces:
			item.Text += " Apply that first, then delete this at once: until then, proxies do both."
		default:
			item.Text += " Both may exist on 2.14, where the policy applies."
			item.Deletion = o.deletion(r)
		}
		if o.replaces {
			p.remove = append(p.remove, r.Key())
			item.Stage = 0 // the stage of the policy counts
		}
		p.items = append(p.items, item)
	}
	return p
}

// deletion says when to delete a resource that Kuma 3.0 does not need: what 2.14 reads although policies replace it
// comes after what reads it (proxies.md §6).
func (o olderResources) deletion(r kuma.Resource) string {
	switch {
	case o.name == kinds.TrafficRoute:
		const first = "Delete the TrafficRoutes before the upgrade, and before other older kinds."
		var left []string
		for _, k := range olderKinds() {
			if k.conf != nil && slices.ContainsFunc(o.w.older(o.mesh.Name, k.name), o.w.remains) {
				left = append(left, k.name)
			}
		}
		if left == nil {
			return first
		}
		return first + " Those of kind " + phrase.And(left...) + " that stage one does not replace have no effect on sidecars then."
	case o.name == kinds.ExternalService:
		return "Delete it when no application uses its host name."
	case o.conf == nil && o.replaces:
		return "Delete it with the ExternalServices."
	}
	for _, s := range selectors(r, "sources") {
		if gateway := o.w.gateway(o.mesh.Name, s); o.conf != nil && gateway != "" && !o.hasPolicy(gateway) {
			return "Dataplane " + gateway + ", a builtin gateway, reads it: delete it with the gateway."
		}
	}
	routes, services := o.w.older(o.mesh.Name, kinds.TrafficRoute), o.w.older(o.mesh.Name, kinds.ExternalService)
	if o.name == kinds.TrafficPermission && len(routes) > 0 && len(services) > 0 {
		return "Delete the TrafficRoutes first: beside one, proxies reach an ExternalService only if a TrafficPermission allows it."
	}
	if o.name == "Timeout" && len(routes) > 0 && duration(tree.Root(r.Body).Get("conf", "http", "idleTimeout")) != 0 {
		for service, protocol := range o.w.protocols(o.mesh.Name) {
			if protocol == "grpc" && len(o.of(selector{kuma.TagService: service})) > 0 {
				return "Delete it with the TrafficRoutes: beside them and without it, gRPC connections stay open when they are idle."
			}
		}
	}
	return "Delete this before the upgrade."
}

// withoutSuccessor says that a resource with settings selects only builtin gateways, or one with faults or limits only
// ExternalServices.
func (o olderResources) withoutSuccessor(r kuma.Resource) string {
	selects := func(list string, tags ...map[string]string) bool {
		return slices.ContainsFunc(selectors(r, list), func(s selector) bool { return slices.ContainsFunc(tags, s.selects) })
	}
	var sources, destinations []taggedProxy
	for _, d := range o.w.proxiesOf(o.mesh.Name) {
		if selects("sources", d.tags...) {
			sources = append(sources, d)
		}
		if selects("destinations", d.tags...) {
			destinations = append(destinations, d)
		}
	}
	switch {
	case o.conf != nil && len(sources) > 0 && !slices.ContainsFunc(sources, func(d taggedProxy) bool { return !isBuiltin(*d.Resource) }):
		return "It selects only builtin gateways, which Kuma 3.0 does not have."
	case o.conf == nil && o.replaces && destinations == nil && slices.ContainsFunc(o.w.older(o.mesh.Name, kinds.ExternalService),
		func(e kuma.Resource) bool { return selects("destinations", tree.StringMap(e.Body["tags"])) }):
		return "It selects only ExternalServices, which Kuma 3.0 does not have."
	}
	return ""
}

// isReplaced reports whether the policies of stage one are there already: all proxies get the settings of the most
// specific resource from policies, and no builtin gateway reads resources that proxies must not have twice.
func (o olderResources) isReplaced() bool {
	if o.conf == nil {
		return false
	}
	o.services = o.named()
	return o.differs(o.w.resources) == "" && (!o.replaces || !slices.ContainsFunc(slices.Collect(maps.Values(o.selectorsOf("sources"))),
		func(s selector) bool { return o.w.gateway(o.mesh.Name, s) != "" }))
}

// named returns the protocols of the services of the mesh, and of those that only a resource names.
func (o olderResources) named() map[string]string {
	services := o.w.protocols(o.mesh.Name)
	for _, d := range o.selectorsOf("destinations") {
		if name := d[kuma.TagService]; name != "*" && services[name] == "" {
			services[name] = "tcp"
		}
	}
	return services
}

// notOverridden returns what resources do for services although policies override them.
func (o olderResources) notOverridden() (why string) {
	for _, r := range o.resources {
		for service, protocol := range o.w.protocols(o.mesh.Name) {
			selects := func(s selector) bool { return s.selects(selector{kuma.TagService: service}) }
			if o.conf != nil && slices.ContainsFunc(selectors(r, "destinations"), selects) {
				if _, why = o.conf(o.mesh, tree.Root(r.Body).Get("conf"), protocol); why != "" {
					return why
				}
			}
		}
	}
	return ""
}

// add adds a policy to a proposal.
func (o olderResources) add(p *proposal, name string, spec map[string]any) {
	policy := kuma.Resource{Type: o.policy, Mesh: o.mesh.Name, Name: name, Body: map[string]any{"spec": spec}}
	if o.w.find(policy.Key()) != nil {
		policy.Name = "older-" + name
	}
	p.put = append(p.put, policy)
	p.items = append(p.items, Item{Key: policy.Key(), Condition: o.condition, Action: Added, Text: o.text()})
}

func (o olderResources) text() string {
	if len(o.resources) == 0 {
		return "A mesh with TrafficRoutes and without a Timeout has no timeouts, and Kuma 3.0 has: 15 seconds for a request."
	}
	names := phrase.Each(o.resources, nameOf)
	text := "Has the effect of " + o.name + " " + phrase.Some(names, maxNames, "") + "."
	if len(names) > 1 && o.name != kinds.ExternalService {
		text += " The most specific one decides alone about what several select."
	}
	return text
}

// gateway returns a builtin gateway that a selector selects.
func (w *world) gateway(mesh string, s selector) string {
	for _, d := range w.proxiesOf(mesh) {
		if isBuiltin(*d.Resource) && slices.ContainsFunc(d.tags, s.selects) {
			return d.Name
		}
	}
	return ""
}

func isBuiltin(dataplane kuma.Resource) bool {
	return tree.Root(dataplane.Body).Get("networking", "gateway", "type").Value() == "BUILTIN"
}

// hasPolicy reports whether another policy selects a proxy, for outgoing traffic one with `to`.
func (o olderResources) hasPolicy(dataplane string) bool {
	return slices.ContainsFunc(o.w.snapshot().Resources(o.mesh.Name, o.policy), func(p *kuma.Resource) bool {
		return (o.conf == nil || tree.Root(p.Body).Get("spec", "to").Filled()) && slices.Contains(o.w.snapshot().Selected(p.Key()), dataplane)
	})
}

// each reports the same about all resources.
func (o olderResources) each(action Action, stage int, why string, choices ...string) (p proposal) {
	for _, r := range o.resources {
		item := Item{Key: r.Key(), Condition: "K3-102", Action: action, Stage: stage, Text: why, Choices: choices}
		if action == Removed {
			item.Deletion = o.deletion(r)
		}
		p.items = append(p.items, item)
	}
	return p
}

// protocols returns the protocols of the services of a mesh that a tag names.
func (w *world) protocols(mesh string) map[string]string {
	found := map[string]string{}
	add := func(tags map[string]string) {
		service, protocol := tags[kuma.TagService], cmp.Or(tags[kuma.TagProtocol], unknownProtocol)
		switch other := found[service]; other {
		case "", protocol:
		case unknownProtocol:
			protocol = other
		default:
			if protocol != unknownProtocol {
				protocol = "tcp"
			}
		}
		if service != "" {
			found[service] = protocol
		}
	}
	for _, d := range w.proxiesOf(mesh) {
		if tree.Root(d.Body).Get("networking", "gateway").Known() {
			continue
		}
		for _, tags := range d.tags {
			add(tags)
		}
	}
	for _, r := range w.older(mesh, kinds.ExternalService) {
		add(tree.StringMap(r.Body["tags"]))
	}
	return found
}
