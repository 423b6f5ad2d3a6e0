package randomworld

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// addOthers adds resources of the kinds that policies do not concern, which
// must not change any rules.
func (w *world) addOthers() {
	for _, k := range kinds.All() {
		if k.Policy != nil || w.names[k.Name] != nil || !w.one(3) {
			continue
		}
		switch k.Name {
		case kinds.Mesh.Name, kinds.MeshGateway.Name, kinds.MeshService.Name, kinds.MeshExternalService.Name, kinds.MeshMultiZoneService.Name,
			kinds.Dataplane.Name:
			continue // those have a place
		case kinds.Zone.Name, kinds.Workload.Name:
			continue // a control plane creates and removes them by itself
		}
		r := kuma.Resource{Type: k.Name, Name: w.name(0), Labels: w.labels(k)}
		if k.Scope == def.Global {
			r.Name = w.options.Mesh + "-" + r.Name
		}
		if r, ok := w.document(k, r); ok {
			w.add(r)
		}
	}
}
