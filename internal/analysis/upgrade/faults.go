package upgrade

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// injectBySPIFFEID proposes `rules` with SPIFFE IDs for faults by the tags of clients (R5).
// [separateRules] rewrites those for all clients.
var injectBySPIFFEID = forEach((*world).faults, kinds.MeshFaultInjection.Name)

func (w *world) faults(r kuma.Resource) []proposal {
	const path, condition, byHand = "spec.from", "K3-034", "Write rules by hand."
	spec := tree.Root(r.Spec())
	entries := tree.Root(r.Body).Get("spec", "from").Items()
	if !slices.ContainsFunc(entries, isForSomeClients) || spec.Get("rules").Filled() || spec.Get("to").Filled() {
		return nil
	}
	ids := w.clientIDs(r.Mesh, w.final)
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
