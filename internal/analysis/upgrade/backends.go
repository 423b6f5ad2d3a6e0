package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// writePassthrough proposes a policy for what the Mesh says about traffic to the outside,
// which Kuma 3.0 denies without a policy (R8).
var writePassthrough = forEach((*world).passthrough, kuma.KindMesh)

func (w *world) passthrough(mesh kuma.Resource) []proposal {
	mode := passthroughMode(mesh)
	if len(w.snapshot().Resources(mesh.Name, kinds.MeshPassthrough.Name)) > 0 {
		without := w.withoutPassthrough(mesh.Name)
		if len(without) == 0 || mode != "All" {
			return nil
		}
		return w.cannot(mesh, "networking.outbound.passthrough", "K3-202", "No MeshPassthrough selects "+
			phrase.Some(w.equal.names(mesh.Name, without), 5, "Dataplanes")+": Kuma 3.0 denies traffic to the outside, which 2.14 allows.",
			"Select these Dataplanes with a MeshPassthrough with passthroughMode: All.", "Leave it denied.")
	}
	item := Item{Condition: "K3-077", Action: Added, Text: "Denies traffic to the outside of the mesh, as the Mesh does on 2.14."}
	if mode == "All" {
		item.Condition, item.Text = "K3-202", "Allows traffic to the outside of the mesh, as 2.14 does. Without it, Kuma 3.0 denies it."
		item.Choices = []string{"Allow only what the applications use, with passthroughMode: Matched."}
	}
	return []proposal{meshWide(mesh, kinds.MeshPassthrough.Name, "passthrough-"+strings.ToLower(mode),
		map[string]any{"default": map[string]any{"passthroughMode": mode}}, item)}
}

// passthroughMode returns what a Mesh of 2.14 says about traffic to the outside.
func passthroughMode(mesh kuma.Resource) string {
	if n := tree.Root(mesh.Body).Get("networking", "outbound", "passthrough"); n.Known() && !n.True() {
		return "None"
	}
	return "All"
}

const exclusive = "Exclusive"

// withoutPassthrough returns the Dataplanes that no MeshPassthrough selects.
func (w *world) withoutPassthrough(mesh string) []string {
	return slices.DeleteFunc(w.snapshot().Dataplanes(mesh), func(name string) bool {
		return w.snapshot().IsSelected(mesh, name, kinds.MeshPassthrough.Name) ||
			!kinds.IsRedirected(*w.snapshot().Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: mesh, Name: name}))
	})
}

// listBackends proposes the services that proxies reach, by labels, where a Dataplane names
// or omits them: Kuma 3.0 does not read the names, and lets a proxy reach nothing that its
// Dataplane does not list (R9).
var listBackends = forEach((*world).backends, kuma.KindDataplane)

func (w *world) backends(r kuma.Resource) (out []proposal) {
	changed, items := r.Clone(), []Item(nil)
	for _, o := range rules.Outbounds(r) {
		if o.Tag != "" && w.final {
			if item := w.outboundByTag(r, changed, o); item.Action == Manual {
				out = append(out, proposal{items: []Item{item}})
			} else {
				items = append(items, item)
			}
		}
		if o.Tag != "" || o.Name == "" {
			continue
		}
		labels, _, why := w.labelsOf(r, o.BackendRef)
		if why != nil {
			why.Key, why.Path, why.Condition, why.Action = r.Key(), o.Path.String(), "K3-215", Manual
			out = append(out, proposal{items: []Item{*why}})
			continue
		}
		setAt(changed.Body, o.Path, reference(r.Body, o.BackendRef, labels, ""))
		items = append(items, rewritten(r, o.Path.String(), "K3-214", "Refers to "+o.String()+" by the labels "+phrase.Pairs(labels)+"."))
	}
	if item, ok := w.listAll(r, changed); ok {
		items = append(items, item)
	}
	return append(out, one(changed, items...)...)
}

// outboundByTag replaces the tags of an outbound by a reference to the only MeshService with their
// value as its name, if it has one port.
func (w *world) outboundByTag(r, changed kuma.Resource, o rules.Outbound) Item {
	item := Item{
		Key: r.Key(), Path: o.Path.String(), Condition: "K3-094", Action: Manual,
		Choices: []string{"Refer to a service by labels and port with backendRef.", "Remove the outbound."},
	}
	s, outbound := w.readBy(Release3()), tree.Object(tree.At(changed.Body, o.Path.Parent()))
	labels := map[string]string{kuma.LabelDisplayName: o.Tag}
	if zone := w.snapshot().Resource(r.Key()).Zone(); zone != "" {
		labels[kuma.LabelZone] = zone
	}
	found := s.Candidates(r.Mesh, kuma.KindMeshService, "", labels)
	switch {
	case len(tree.Object(outbound["tags"])) > 1:
		item.Text = "The outbound selects endpoints by other tags than kuma.io/service, which Kuma 3.0 does not have."
		return item
	case len(found) != 1:
		has := "no MeshService"
		if len(found) > 0 {
			has = strconv.Itoa(len(found)) + " MeshServices"
		}
		item.Text = "The mesh has " + has + " with the name " + o.Tag + "."
		return item
	}
	ports := tree.Objects(s.Resource(found[0].Key()).Spec()["ports"])
	if len(ports) != 1 {
		item.Text = "MeshService " + o.Tag + " has " + phrase.Count(len(ports), "port", "ports") + ", and the tag does not select one of them."
		return item
	}
	ref := map[string]any{"kind": kuma.KindMeshService, "labels": anyMap(labels), "port": ports[0]["port"]}
	isSame := func(other tree.Node) bool { return tree.Equal(other.Value(), ref) }
	if id := s.Resource(found[0].Key()).ID(); w.outbounds(r).Has(id, tree.Int(ports[0]["port"])) ||
		slices.ContainsFunc(tree.Root(changed.Body).Find("networking.outbound[].backendRef"), isSame) {
		item.Text = "Another outbound refers to the same port of MeshService " + o.Tag + ", and Kuma 3.0 opens only one listener for both."
		item.Choices = []string{"Let the application use the address of the other outbound, then remove this one."}
		return item
	}
	delete(outbound, "tags")
	outbound["backendRef"] = ref
	item.Action, item.Choices = Rewritten, nil
	item.Text = "Refers to MeshService " + o.Tag + " by the labels " + phrase.Pairs(labels) + " instead of the tag kuma.io/service."
	return item
}

// maxListed is the number of services up to which a Dataplane lists all of them. To reach more, it
// refers to all services of each kind, in stage two (kuma3.md §6.1).
const maxListed = 100

// listAll lists all services of the mesh in a Dataplane that lists none and reaches all: one
// by one, because a reference that matches several services selects only some of their ports
// (matching.md §16).
func (w *world) listAll(r, changed kuma.Resource) (Item, bool) {
	s := w.snapshot()
	outbounds, named, byName := w.outbounds(r), listed(r), s.Exclusive(r.Mesh)
	everything := true
	if outbounds == nil || !outbounds.Transparent || outbounds.Listed || s.RestrictsOutbound() || w.model(r.Mesh).IsZoneProxy(r.Name) ||
		!w.final && byName == (named != nil) {
		return Item{}, false
	}
	if w.final {
		s = w.readBy(Release3())
	}
	services := s.Resources(r.Mesh, rules.DestinationKinds()...)
	item := Item{
		Key: r.Key(), Path: "networking.transparentProxying", Condition: "K3-201", Action: Rewritten,
		Text:    "Lists all services of the mesh as reachable, as 2.14 does. Without it, Kuma 3.0 lets the proxy reach none.",
		Choices: []string{"List only the services that the application calls."},
	}
	if named != nil {
		if byName {
			named = nil
		}
		everything = false
		services = slices.DeleteFunc(services, func(service *kuma.Resource) bool { return !slices.Contains(named, service.DisplayName()) })
		item.Text, item.Choices = "Lists the services that reachableServices lists, which are none in a mesh with mode Exclusive. "+
			"Kuma 3.0 does not read it.", nil
	}
	if named != nil && !w.final {
		w.addsListeners[r.Key()] = len(services) >= len(named)
		if !w.addsListeners[r.Key()] {
			return Item{}, false // services that only a tag describes, as in mode Disabled
		}
		item.Text = "Lists the services of reachableServices by reference, too. " +
			"Do this before the mode becomes Exclusive, in which a proxy with reachableServices alone reaches no service. " +
			"On 2.14, this adds listeners and host names for these MeshServices to those by tag, and changes nothing else."
	}
	refs, unlisted := []any{}, ""
	switch {
	case !everything || len(services) <= maxListed:
		for _, service := range services {
			isOther := func(c rules.Candidate) bool { return c.Key() != service.Key() }
			same := s.Candidates(r.Mesh, service.Type, "", identifying(*service))
			if i := slices.IndexFunc(same, isOther); i >= 0 && !w.final { // Kuma 3.0 sets the label to the name
				unlisted = fmt.Sprintf("on 2.14, the labels %s, which identify %s %q in a list, also select %q",
					phrase.Pairs(identifying(*service)), service.Type, service.Name, same[i].Name)
			}
			refs = append(refs, refsTo(*service)...)
		}
	case !w.final:
		return Item{}, false
	default:
		refs = phrase.Each(rules.DestinationKinds(), func(kind string) any { return map[string]any{"kind": kind} })
		item.Text = "Refers to each kind of services without labels, which only Kuma 3.0.1 or later accepts."
		unlisted = fmt.Sprintf("it reaches all %d of the mesh, which a Dataplane can only say in Kuma 3.0.1", len(services))
	}
	if unlisted != "" {
		w.report.add(Item{
			Key: r.Key(), Path: item.Path, Condition: item.Condition, Rewrite: "R9", Action: Manual,
			Text: "From the upgrade until stage two, the proxy reaches no service: " + unlisted + ".",
			Choices: []string{
				"Set defaults.restrictOutbound to false in the control plane until then.",
				"List only the services that the application calls.",
			},
		})
	}
	if unlisted != "" && !w.final {
		return Item{}, false
	}
	networking := tree.Object(changed.Body["networking"])
	transparent := maps.Clone(tree.Object(networking["transparentProxying"]))
	if transparent == nil {
		transparent = map[string]any{}
	}
	transparent["reachableBackends"] = map[string]any{"refs": refs}
	networking["transparentProxying"] = transparent
	return item, true
}

// listed returns the reachableServices of a Dataplane, which are values of the tag
// kuma.io/service. In a mesh with mode Exclusive, a proxy with such a list reaches nothing
// (matching.md §16).
func listed(r kuma.Resource) []string {
	return tree.Strings(tree.Root(r.Body).Get("networking", "transparentProxying", "reachableServices").Value())
}

// refsTo returns references of a Dataplane to all ports of a service.
func refsTo(service kuma.Resource) []any {
	ref := func(port any) any {
		value := map[string]any{"kind": service.Type, "labels": anyMap(identifying(service))}
		if port != nil {
			value["port"] = port
		}
		return value
	}
	ports := tree.Objects(service.Spec()["ports"])
	if len(ports) < 2 || !slices.ContainsFunc(ports, func(p map[string]any) bool { return tree.Text(p["name"]) == "" }) {
		return []any{ref(nil)}
	}
	return phrase.Each(ports, func(p map[string]any) any { return ref(p["port"]) })
}
