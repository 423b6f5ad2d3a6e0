package input

import (
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// origins are the control planes that have stored documents, according to their labels.
type origins struct {
	known      bool
	unnamed    bool // a Dataplane does not name its zone, as all on a global control plane do
	kubernetes bool
	zones      map[string]bool
	referred   map[string]bool // zones in references by labels and in server names
}

// add records the origin of a document. Of those without an origin, only a Dataplane is always
// stored by the control plane of its zone. A Mesh of Kuma 3.0 does not name its zone
// (release3.md §3).
func (o *origins) add(doc map[string]any) {
	_, kubernetes := doc["apiVersion"]
	named := false
	isDataplane := doc["kind"] == kuma.KindDataplane || doc["type"] == kuma.KindDataplane
	for _, labels := range []any{doc["labels"], tree.Object(doc["metadata"])["labels"]} {
		labels := tree.Object(labels)
		zone, origin := tree.Text(labels[kuma.LabelZone]), labels[kuma.LabelOrigin]
		named = named || zone != ""
		kubernetes = kubernetes || labels[kuma.LabelK8sNamespace] != nil
		switch {
		case origin == kuma.OriginGlobal:
			o.known = true
		case zone != "" && (origin == kuma.OriginZone || isDataplane):
			o.zones[zone], o.known = true, true
		}
	}
	o.kubernetes = o.kubernetes || kubernetes && isDataplane
	o.unnamed = o.unnamed || isDataplane && !named
	for _, part := range []string{"spec", "networking"} {
		o.refer(doc[part])
	}
}

// refer records the zones that references by labels and server names contain.
func (o *origins) refer(value any) {
	for _, v := range tree.List(value) {
		o.refer(v)
	}
	for key, v := range tree.Object(value) {
		zone := ""
		switch of := tree.Object(v); key {
		case "labels", "matchLabels":
			zone = tree.Text(of[kuma.LabelZone])
		case "sni":
			if parts := strings.Split(tree.Text(of["value"]), "."); len(parts) == 6 { // sni.KIND.MESH.ZONE.NAME.PORT
				zone = parts[3]
			}
		}
		if zone == "" {
			o.refer(v)
			continue
		}
		o.referred[zone] = true
	}
}

func (o *origins) merge(other *origins) {
	o.known, o.kubernetes, o.unnamed = o.known || other.known, o.kubernetes || other.kubernetes, o.unnamed || other.unnamed
	maps.Copy(o.zones, other.zones)
	maps.Copy(o.referred, other.referred)
}

// controlPlane returns the one control plane that stores all of the documents; the zero
// value if their labels do not identify it. Documents that name no zone, but refer to resources of
// one zone only, are expected to be those of that zone. In Kubernetes, it generates no MeshServices from
// Dataplanes.
func (o *origins) controlPlane() kuma.ControlPlane {
	switch {
	case !o.known && len(o.referred) == 1 && !o.kubernetes:
		return kuma.ControlPlane{Mode: kuma.ModeZone, Zone: slices.Collect(maps.Keys(o.referred))[0]}
	case !o.known, o.unnamed && len(o.zones) == 0:
		return kuma.ControlPlane{Kubernetes: o.kubernetes}
	case len(o.zones) == 1:
		return kuma.ControlPlane{Mode: kuma.ModeZone, Zone: slices.Collect(maps.Keys(o.zones))[0], Kubernetes: o.kubernetes}
	default:
		return kuma.ControlPlane{Mode: kuma.ModeGlobal}
	}
}
