package randomworld

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// isReference reports whether an object is a targetRef.
func isReference(o def.Object) bool {
	for _, name := range []string{"kind", "name", "tags", "sectionName"} {
		if _, ok := o.Field(name); !ok {
			return false
		}
	}
	return true
}

var referenceKinds = []string{
	kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshSubset, kuma.KindMeshGateway, kuma.KindMeshService, kuma.KindMeshServiceSubset,
	kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService, kuma.KindMeshHTTPRoute,
}

// reference generates a reference with fields that can be combined.
func (w *world) reference(o def.Object) object {
	var ref object
	for range draws {
		if ref = w.mixedReference(o); len(def.ReferenceFields().Test(tree.Root(ref))) == 0 {
			break
		}
	}
	return ref
}

// mixedReference generates a reference with any fields to a kind that is
// accepted there, which is its first field. o has the additional fields.
func (w *world) mixedReference(o def.Object) object {
	kind := w.listed(&o[0])
	ref := object{"kind": kind}
	if w.kuma3() {
		w.selectByLabels(ref, kind)
		return w.aimedAt(o, ref)
	}
	switch w.IntN(5) {
	case 0, 1:
		ref["name"] = w.nameOf(kind)
		if w.one(6) {
			ref["namespace"] = pick(w, namespaces...)
		}
	case 2:
		labels := object{}
		for range w.IntN(3) {
			labels[pick(w, "team", "tier", "team", kuma.LabelDisplayName, kuma.LabelZone, kuma.LabelK8sNamespace)] = pick(w, "a", "b", "", "ns-a",
				w.zone())
		}
		ref["labels"] = labels
	}
	if w.one(2) && kind != kuma.KindMesh {
		tags := w.tags(w.one(3))
		if w.one(4) {
			tags[pick(w, "team", kuma.TagService, kuma.LabelZone)] = pick(w, "*", w.zone(), "none")
		}
		ref["tags"] = tags
	}
	if w.one(3) {
		ref["sectionName"] = pick(w, sections...)
	}
	if w.one(5) {
		ref["proxyTypes"] = pick(w, []any{"Sidecar"}, []any{"Gateway"}, []any{"Gateway", "Sidecar"})
	}
	return w.aimedAt(o, ref)
}

// selectByLabels adds the labels, and perhaps a section, by which Kuma 3.0 selects an
// object of a kind.
func (w *world) selectByLabels(ref object, kind string) {
	if kind == kuma.KindMesh || kind == kuma.KindDataplane && w.one(4) {
		return
	}
	labels := object{}
	switch w.IntN(4) {
	case 0, 1:
		labels[kuma.LabelDisplayName] = w.nameOf(kind)
		if w.one(3) {
			labels[kuma.LabelZone] = w.zone()
		}
	default:
		for range 1 + w.IntN(2) {
			key := pick(w, "team", "team", "tier", kuma.LabelZone, kuma.LabelEnv, kuma.LabelWorkload)
			labels[key] = map[string]string{kuma.LabelZone: w.zone(), kuma.LabelEnv: "universal", kuma.LabelWorkload: "a"}[key]
			if key == "team" || key == "tier" {
				labels[key] = pick(w, "a", "a", "b", "")
			}
		}
	}
	ref["labels"] = labels
	if w.one(3) {
		ref["sectionName"] = pick(w, sections...)
	}
}

// aimedAt adds the fields of a reference that are aimed at, and some that only references
// to a destination of a route have.
func (w *world) aimedAt(o def.Object, ref object) object {
	for i := range o {
		f := &o[i]
		_, has := ref[f.Name]
		wanted := w.aim.has(f) || (f.Name == "port" || f.Name == "weight") && w.one(2)
		if has || !wanted || !exists(f, w.options.Release) {
			continue
		}
		if v, ok := w.value(f, false); ok {
			ref[f.Name] = v
		}
	}
	return ref
}

// zone returns the name of a zone that resources may come from.
func (w *world) zone() string {
	if len(w.options.Zones) > 0 {
		return pick(w, w.options.Zones...)
	}
	return pick(w, zoneNames...)
}

// nameOf returns a name for a reference to a kind. For services, it may also be
// the value of a tag.
func (w *world) nameOf(kind string) string {
	names := append([]string{"a", "missing"}, w.names[kind]...)
	if !w.kuma3() && (kind == kuma.KindMeshService || kind == kuma.KindMeshServiceSubset) {
		names = append(names, serviceTags...)
	}
	return pick(w, names...)
}
