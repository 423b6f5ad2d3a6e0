package upgrade

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// outboundSuffix names the part of a policy with `to` that `rules` cannot contain.
const outboundSuffix = "-outbound"

// withRules returns a policy with rules instead of from.
func withRules(r kuma.Resource, list []any) kuma.Resource {
	return edited(r, func(body map[string]any) {
		spec := tree.Object(body["spec"])
		delete(spec, "from")
		if spec["rules"] = list; len(list) == 0 {
			delete(spec, "rules")
		}
	})
}

// separateRules proposes `rules` instead of `from`, in a policy of its own if there is also
// `to` (R4). Permissions, and faults for some clients, need SPIFFE IDs instead (R5).
var separateRules = forEach(func(w *world, r kuma.Resource) []proposal {
	from, isFault := tree.Root(r.Body).Get("spec", "from"), r.Type == kinds.MeshFaultInjection.Name
	if !from.Known() || isDefaultOfGateways(r) || isFault && slices.ContainsFunc(from.Items(), isForSomeClients) {
		return nil
	}
	out := w.rulesInsteadOfFrom(r, from)
	if isFault {
		out[0].unseen = "the control plane sends the filter for the same faults in another form"
	}
	return out
}, kinds.MeshAccessLog.Name, kinds.MeshCircuitBreaker.Name, kinds.MeshFaultInjection.Name, kinds.MeshRateLimit.Name,
	kinds.MeshTimeout.Name, kinds.MeshTLS.Name)

func (w *world) rulesInsteadOfFrom(r kuma.Resource, from tree.Node) []proposal {
	const path = "spec.from"
	to := tree.Root(r.Body).Get("spec", "to")
	condition := map[bool]string{false: "K3-030", true: "K3-031"}[to.Filled()]
	if r.Type == kinds.MeshFaultInjection.Name {
		condition = "K3-034"
	}
	if tree.Root(r.Body).Get("spec", "rules").Filled() {
		return w.cannot(r, path, condition, "The policy has both from and rules.", "Add the settings of from to rules.")
	}
	if others := slices.ContainsFunc(from.Find("[].targetRef.kind"), func(n tree.Node) bool { return n.Value() != kuma.KindMesh }); others {
		return w.cannot(r, path, condition, "An entry of from does not have kind Mesh.", "Match clients by SPIFFE ID in rules.")
	}
	incoming := withRules(r, phrase.Each(from.Find("[].default"), func(conf tree.Node) any {
		return map[string]any{"default": tree.Clone(conf.Value())}
	}))
	delete(incoming.Spec(), "to")
	if top := r.TopRef().Kind; r.Type == kinds.MeshRateLimit.Name && (top == "" || top == kuma.KindMesh) {
		incoming.Spec()["targetRef"] = map[string]any{"kind": kuma.KindDataplane}
	}
	if !to.Filled() {
		return one(incoming, rewritten(r, path, condition, "Has rules instead of from."))
	}
	outgoing := edited(r, func(body map[string]any) { delete(tree.Object(body["spec"]), "from") })
	if len(from.Items()) == 0 {
		return one(outgoing, rewritten(r, path, condition, "Has no from, which was empty."))
	}
	outgoing.Name += outboundSuffix
	if outgoing.Labels[kuma.LabelDisplayName] != "" {
		outgoing.Labels[kuma.LabelDisplayName] += outboundSuffix
	}
	if w.find(outgoing.Key()) != nil || len(outgoing.Name) > kuma.MaxNameLength {
		return w.cannot(r, path, condition, "The policy must be divided, but the name "+outgoing.Name+" cannot be used.",
			"Move to into a policy with another name.")
	}
	return []proposal{{put: []kuma.Resource{incoming, outgoing}, items: []Item{
		{Key: r.Key(), Path: path, Condition: condition, Action: Rewritten, Text: "Has rules instead of from. A policy with the suffix " +
			outboundSuffix + " contains its to."},
		{Key: outgoing.Key(), Condition: condition, Action: Added, Text: "Contains to of the policy without the suffix " + outboundSuffix +
			", because no policy can have both to and rules."},
	}}}
}
