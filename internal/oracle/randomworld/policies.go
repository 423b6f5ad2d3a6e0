package randomworld

import (
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
		k := pick(w, kinds.MeshHTTPRoute, kinds.MeshHTTPRoute, kinds.MeshTCPRoute)
		w.addPolicy(k, w.aimAt(k), i, false)
	}
	all := slices.DeleteFunc(kinds.Policies(), func(k def.Kind) bool { return !k.In(w.options.Release) })
	few, count := []def.Kind{pick(w, all...), pick(w, all...), pick(w, all...)}, 2+w.IntN(10)
	alike := false
	if w.one(12) {
		few, count, alike = few[:1], 30+w.IntN(40), w.one(2)
	}
	for i := range count {
		k := pick(w, few...)
		if w.one(8) {
			k = pick(w, all...)
		}
		w.addPolicy(k, w.aimAt(k), 4+i, alike)
	}
	for i, s := range w.stops() {
		if s.kind.In(w.options.Release) && s.aim.in(w.options.Release) {
			w.addPolicy(s.kind, s.aim, 100+i, false)
		}
	}
}

// addPolicy adds a policy of kind k, unless no random one is valid. Policies
// that are alike select all proxies and have no labels.
func (w *world) addPolicy(k def.Kind, at aim, i int, alike bool) {
	labels := w.labels(k)
	if w.one(4) && !w.kuma3() {
		labels[kuma.LabelPolicyRole] = pick(w, "system", "producer", "consumer", "consumer", "workload-owner", "workload-owner", "odd")
	}
	if w.one(16) {
		labels[kuma.LabelEffect] = kuma.EffectShadow
	}
	w.aim = at
	for attempt := range draws {
		if attempt == draws-2 {
			w.aim = aim{}
		}
		w.left = documentDraws
		r := kuma.Resource{Type: k.Name, Mesh: w.options.Mesh, Name: w.numbered(i), Labels: labels}
		fields := w.policy(k)
		r.Body = object{"spec": fields}
		if alike {
			r.Labels = map[string]string{}
			delete(fields, "targetRef")
		}
		if k.Name == kuma.KindMeshHTTPRoute && !w.kuma3() && w.one(3) {
			r = w.forGateway(r)
		}
		if r, ok := w.repair(k, r); ok {
			w.add(r)
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

// policy generates the fields of a policy.
func (w *world) policy(k def.Kind) object {
	fields := object{}
	inbound := w.one(2) // "rules" conflicts with the other lists
	if places := w.aim.fields; len(places) > 0 && k.Policy.Rules {
		inbound = places[0].Name == "rules"
	}
	for i := range k.Fields {
		f := &k.Fields[i]
		switch f.Name {
		case "targetRef":
			if !w.aim.has(f) && w.one(6) {
				continue
			}
		case "to", "from":
			if inbound && k.Policy.Rules || !w.aim.has(f) && w.one(3) {
				continue
			}
		case "rules":
			if !inbound {
				continue
			}
		}
		if v, ok := w.value(f, k.Proto()); ok {
			fields[f.Name] = v
		}
	}
	return fields
}
