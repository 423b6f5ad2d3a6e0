package randomworld

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// addPolicies adds policies: most of a few kinds, so that several of one kind
// apply to a proxy, and routes first, so that the others can refer to them.
// Some worlds have many policies of one kind, which may differ only in their
// names: a control plane uses other algorithms for long lists and for lists
// that are already sorted.
func (w *world) addPolicies() {
	for i := range w.IntN(4) {
		w.addPolicy(pick(w, kinds.MeshHTTPRoute, kinds.MeshHTTPRoute, kinds.MeshTCPRoute), i, false)
	}
	all := slices.DeleteFunc(kinds.Policies(), func(k def.Kind) bool { return !w.options.Release.Has(k.Since) })
	few, count := []def.Kind{pick(w, all...), pick(w, all...), pick(w, all...)}, 3+w.IntN(12)
	alike := false
	if w.one(12) {
		few, count, alike = few[:1], 30+w.IntN(40), w.one(2)
	}
	for i := range count {
		k := pick(w, few...)
		if w.one(8) {
			k = pick(w, all...)
		}
		w.addPolicy(k, 4+i, alike)
	}
}

// addPolicy adds a policy of kind k, unless no random one is valid. Policies
// that are alike select all proxies and have no labels.
func (w *world) addPolicy(k def.Kind, i int, alike bool) {
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
		fields := w.policy(k)
		r.Body = object{"spec": fields}
		if alike {
			r.Labels = map[string]string{}
			delete(fields, "targetRef")
		}
		if w.valid(k, r) {
			if gateway := w.forGateway(r); k.Name == kuma.KindMeshHTTPRoute && w.one(3) && w.valid(k, gateway) {
				r = gateway
			}
			w.add(w.withDependentFields(k, r))
			return
		}
	}
}

// forGateway returns an HTTP route for the listeners of a gateway: its entries
// target the mesh, and all of its rules have destinations.
func (w *world) forGateway(r kuma.Resource) kuma.Resource {
	r = r.Clone()
	spec, _ := r.Body["spec"].(object)
	spec["targetRef"] = object{"kind": kuma.KindMeshGateway, "name": w.nameOf(kuma.KindMeshGateway)}
	for _, entry := range tree.Root(spec).Find("to[]") {
		to, _ := entry.Value().(object)
		to["targetRef"] = object{"kind": kuma.KindMesh}
		for _, rule := range entry.Get("rules").Items() {
			conf, _ := rule.Get("default").Value().(object)
			if conf != nil && rule.Get("default", "backendRefs").Empty() {
				conf["backendRefs"] = []any{object{"kind": kuma.KindMeshService, "name": w.nameOf(kuma.KindMeshService), "port": number(80)}}
			}
		}
	}
	return r
}

// withDependentFields adds fields that other parts of the document have to
// allow, so that they are never drawn by themselves: the inbound of a Dataplane
// reference, and the host names of a gateway's routes. Each stays where the
// document is valid with it.
func (w *world) withDependentFields(k def.Kind, r kuma.Resource) kuma.Resource {
	add := func(path, field string, value func() any) {
		for _, place := range tree.Root(r.Body).Find(path) {
			if !w.one(2) {
				continue
			}
			more := r.Clone()
			holder, _ := tree.At(more.Body, place.Path).(object)
			if holder == nil {
				continue
			}
			holder[field] = value()
			if w.valid(k, more) {
				r = more
			}
		}
	}
	add("spec.targetRef", "sectionName", func() any { return pick(w, sections...) })
	if k.Name == kuma.KindMeshHTTPRoute {
		add("spec.to[]", "hostnames", func() any {
			return pick(w, []any{"shop.example"}, []any{"*.shop.example", "shop.example"}, []any{"*"}, []any{"other.example"})
		})
	}
	return r
}

// policy generates the fields of a policy.
func (w *world) policy(k def.Kind) object {
	fields := object{}
	inbound := w.one(2) // "rules" conflicts with the other lists
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
