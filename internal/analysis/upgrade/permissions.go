package upgrade

import (
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// permitBySPIFFEID proposes `rules` with SPIFFE IDs for permissions by the tags of clients
// (R5). `from` allows what its last matching entry allows, and in `rules` every deny wins, so
// that the lists contain what the entries result in for the clients of the mesh.
func permitBySPIFFEID(w *world) []proposal {
	var out []proposal
	ids := map[string]clientIDs{}
	for _, r := range w.of(kinds.MeshTrafficPermission.Name) {
		from := tree.Root(r.Body).Get("spec", "from")
		if !from.Filled() || tree.Root(r.Body).Get("spec", "rules").Filled() {
			continue
		}
		if _, ok := ids[r.Mesh]; !ok {
			ids[r.Mesh] = w.clientIDs(r.Mesh, w.final)
		}
		out = append(out, w.permission(r, from, ids[r.Mesh])...)
	}
	return out
}

// clientIDs are the SPIFFE IDs of the proxies of a mesh.
type clientIDs struct {
	of      map[string]string // by name of the Dataplane
	domains []string          // trust domains, sorted
	why     string            // why they are not known
}

// clientIDs returns the SPIFFE IDs that proxies have on 2.14, where a MeshIdentity only has an effect in mode Exclusive, or
// in stage two.
func (w *world) clientIDs(mesh string, final bool) clientIDs {
	s, of := w.snapshot(), w.snapshot()
	if final {
		of = w.readBy(Release3())
	}
	out := clientIDs{of: map[string]string{}}
	var domains, without []string
	for _, d := range s.Resources(mesh, kuma.KindDataplane) {
		if tree.Root(d.Body).Get("networking", "gateway").Known() {
			continue
		}
		identity := of.Resource(of.Identity(mesh, d.Name))
		if identity == nil {
			without = append(without, d.Name)
			continue
		}
		id, err := kinds.SPIFFEID(*identity, *d)
		if err != nil {
			return clientIDs{why: "The SPIFFE ID of Dataplane " + d.Name + " cannot be computed: " + err.Error() + "."}
		}
		out.of[d.Name] = id
		domains = append(domains, strings.Split(id, "/")[2])
	}
	const why = "Rules match clients by the SPIFFE ID of a MeshIdentity, "
	switch {
	case without != nil:
		return clientIDs{why: why + "and none selects " + phrase.Some(w.equal.names(mesh, without), maxNames, "Dataplanes") + "."}
	case len(out.of) == 0:
		return clientIDs{why: why + "and the documents contain no Dataplane that can have one."}
	}
	out.domains = phrase.Sorted(domains)
	return out
}

// actions of permissions, and the lists that they become.
var listOf = map[string]string{"Allow": "allow", "Deny": "deny", "AllowWithShadowDeny": "allowWithShadowDeny"}

const createIdentity = "Create a MeshIdentity that selects all proxies, together with permissions in rules, then rewrite again."

func (w *world) permission(r kuma.Resource, from tree.Node, ids clientIDs) []proposal {
	const path = "spec.from"
	choices := []string{createIdentity, "Write rules by hand."}
	if ids.why != "" {
		return w.cannot(r, path, "K3-033", ids.why, choices...)
	}
	entries := from.Items()
	all := -1 // the last entry for all clients, which overrides those before it
	for i, e := range entries {
		if forAllClients(e) {
			all = i
		}
	}
	byID := map[string]string{}
	for _, e := range entries[all+1:] {
		selected, why := w.clientsOf(r, e, ids)
		if why != "" {
			return w.cannot(r, e.Path.Child("targetRef").String(), "K3-033", why,
				"Remove the entry, or give Dataplanes with other tags another workload.", choices[1])
		}
		action, _ := e.Get("default", "action").Text()
		for _, id := range selected {
			byID[id] = action
		}
	}
	var action string
	if all >= 0 {
		action, _ = entries[all].Get("default", "action").Text()
	}
	conf := permissionLists(action, byID, ids.domains)
	if len(conf) == 0 {
		return []proposal{{remove: []kuma.Key{r.Key()}, items: []Item{{
			Key: r.Key(), Condition: "K3-033", Action: Removed,
			Text: "The policy denies all clients, which is the default without a permission. In rules it would override every permission.",
		}}}}
	}
	return one(withRules(r, []any{map[string]any{"default": conf}}), Item{
		Key: r.Key(), Path: path, Condition: "K3-033", Action: Rewritten,
		Text:    "Has rules with the SPIFFE IDs of the clients that from selects by tags.",
		Choices: []string{"Check that no other policy for these proxies depends on the order of policies: in rules, every deny wins."},
	})
}

// forAllClients reports whether an entry of `from` selects all clients.
func forAllClients(entry tree.Node) bool {
	kind, _ := entry.Get("targetRef", "kind").Text()
	return kind == kuma.KindMesh || kind == kuma.KindMeshSubset && entry.Get("targetRef", "tags").Empty()
}

func isForSomeClients(entry tree.Node) bool { return !forAllClients(entry) }

// clientsOf returns the SPIFFE IDs of the clients that an entry of `from` selects by tags, sorted,
// or why they are not known.
func (w *world) clientsOf(r kuma.Resource, entry tree.Node, ids clientIDs) (list []string, why string) {
	selected := w.clients(r.Mesh, kuma.ParseTargetRef(entry.Get("targetRef").Value()))
	if len(selected) == 0 {
		return nil, "No Dataplane of the documents has these tags, so their SPIFFE IDs are not known."
	}
	list = phrase.Each(selected, func(name string) string { return ids.of[name] })
	for _, name := range slices.Sorted(maps.Keys(ids.of)) {
		if !slices.Contains(selected, name) && slices.Contains(list, ids.of[name]) {
			return nil, "Dataplane " + name + " does not have these tags, but the same SPIFFE ID as one that has them."
		}
	}
	return phrase.Sorted(list), ""
}

// exactly returns the matches of a rule for clients with SPIFFE IDs.
func exactly(ids []string) []any {
	return phrase.Each(ids, func(id string) any { return map[string]any{"spiffeID": map[string]any{"type": "Exact", "value": id}} })
}

// permissionLists returns the lists of clients: all is the action for those that byID does not
// contain. A prefix matches all clients of a trust domain.
func permissionLists(all string, byID map[string]string, domains []string) map[string]any {
	conf := map[string]any{}
	add := func(action, kind, value string) {
		list := listOf[action]
		conf[list] = append(tree.List(conf[list]), map[string]any{"spiffeID": map[string]any{"type": kind, "value": value}})
	}
	if all != "" && all != "Deny" {
		for _, domain := range domains {
			add(all, "Prefix", "spiffe://"+domain)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		if action := byID[id]; action != all {
			add(action, "Exact", id)
		}
	}
	return conf
}

// clients returns the Dataplanes whose certificates on 2.14 have the tags of a source.
func (w *world) clients(mesh string, ref kuma.TargetRef) []string {
	tags := map[string]string{}
	if ref.Name != "" {
		tags[kuma.TagService] = ref.Name
	}
	maps.Copy(tags, ref.Tags)
	var out []string
	for _, d := range w.proxiesOf(mesh) {
		if len(d.tags) > 0 && !isGateway(*d.Resource) && certified(d.tags, tags) {
			out = append(out, d.Name)
		}
	}
	return out
}
