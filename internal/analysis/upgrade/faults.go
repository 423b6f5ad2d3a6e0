package upgrade

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// injectBySPIFFEID proposes `rules` with SPIFFE IDs for faults by the tags of clients (R5).
// [separateRules] rewrites those for all clients.
func injectBySPIFFEID(w *world) []proposal {
	var out []proposal
	for _, r := range w.of(kinds.MeshFaultInjection.Name) {
		body := tree.Root(r.Body)
		entries := body.Get("spec", "from").Items()
		if slices.ContainsFunc(entries, func(e tree.Node) bool { return !forAllClients(e) }) && !body.Get("spec", "rules").Filled() &&
			!body.Get("spec", "to").Filled() {
			out = append(out, w.faults(r, entries, w.clientIDs(r.Mesh, w.final))...)
		}
	}
	return out
}

func (w *world) faults(r kuma.Resource, entries []tree.Node, ids clientIDs) []proposal {
	const path, condition, byHand = "spec.from", "K3-034", "Write rules by hand."
	if ids.why != "" {
		return w.cannot(r, path, condition, ids.why, createIdentity, byHand)
	}
	seen := map[string]bool{}
	var rules []any
	for _, e := range entries {
		clients, why := w.clientsOf(r, e, ids)
		if forAllClients(e) || slices.ContainsFunc(clients, func(id string) bool { return seen[id] }) {
			why = "Several entries select the same clients, and rules combine their faults in another way."
		}
		if why != "" {
			return w.cannot(r, e.Path.Child("targetRef").String(), condition, why, "Remove the entry, or select other clients.", byHand)
		}
		for _, id := range clients {
			seen[id] = true
		}
		rules = append(rules, map[string]any{"matches": exactly(clients), "default": tree.Clone(e.Get("default").Value())})
	}
	return one(withRules(r, rules), rewritten(r, path, condition, "Has rules with the SPIFFE IDs of the clients that from selects by tags."))
}
