package randomworld

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// addPolicies adds policies: most of a few kinds, so that several of one kind
// meet, and routes first, so that the others can refer to them.
func (w *world) addPolicies() {
	for i := range w.IntN(4) {
		w.addPolicy(pick(w, kinds.MeshHTTPRoute, kinds.MeshHTTPRoute, kinds.MeshTCPRoute), i)
	}
	all := slices.DeleteFunc(kinds.Policies(), func(k def.Kind) bool { return !w.options.Release.Has(k.Since) })
	few := []def.Kind{pick(w, all...), pick(w, all...), pick(w, all...)}
	for i := range 3 + w.IntN(12) {
		k := pick(w, few...)
		if w.one(8) {
			k = pick(w, all...)
		}
		w.addPolicy(k, 4+i)
	}
}

// addPolicy adds a policy of kind k, unless chance finds no valid one.
func (w *world) addPolicy(k def.Kind, i int) {
	labels := w.labels(k)
	if w.one(4) {
		labels[kuma.LabelPolicyRole] = pick(w, "system", "producer", "consumer", "consumer", "workload-owner", "workload-owner", "odd")
	}
	if w.one(16) {
		labels[kuma.LabelEffect] = "shadow"
	}
	for range draws {
		w.left = documentDraws
		r := kuma.Resource{Type: k.Name, Mesh: w.options.Mesh, Name: fmt.Sprintf("%s%d", pick(w, resourceNames...), i), Labels: labels}
		r.Body = object{"spec": w.policy(k)}
		if w.valid(k, r) {
			w.add(r)
			return
		}
	}
}

// policy invents the fields of a policy.
func (w *world) policy(k def.Kind) object {
	fields := object{}
	inbound := w.one(2) // "rules" go without the other lists
	for _, f := range k.Fields {
		switch f.Name {
		case "targetRef":
			if w.one(6) {
				continue
			}
		case "to", "from":
			if inbound && k.Policy.Rules || w.one(3) {
				continue
			}
		case "rules":
			if !inbound {
				continue
			}
		}
		if v, ok := w.value(f, k.Proto(), 0); ok {
			fields[f.Name] = v
		}
	}
	return fields
}
