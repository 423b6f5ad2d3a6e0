package upgrade

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// writeServices proposes own MeshServices for those that 2.14 generates for a tag and that
// Kuma 3.0 does not generate for the label kuma.io/workload: of Dataplanes that belong to
// several services (R2b). All of a mesh are one proposal, because they share Dataplanes.
func writeServices(w *world) []proposal {
	var out []proposal
	for _, mesh := range w.of(kuma.KindMesh) {
		var p proposal
		changed := map[string]kuma.Resource{}
		for _, service := range w.generated(mesh) {
			label := serviceLabel(service.Name)
			own := w.find(service.Key())
			if own != nil && !kinds.IsGeneratedService(*own) || len(label) > kuma.MaxLabelLength || w.isWorkload(service) {
				continue
			}
			if other := w.sharesPort(service); other != "" {
				out = append(out, w.cannot(service, "", "K3-069", "Dataplane "+other+
					" has another inbound on a port of the service, which a selector by labels would add to it.", "Give the inbounds different ports.")...)
				continue
			}
			var names []string
			for _, d := range w.of(kuma.KindDataplane) {
				if d.Mesh != mesh.Name ||
					!slices.ContainsFunc(inboundTags(d), func(tags map[string]string) bool { return tags[kuma.TagService] == service.Name }) {
					continue
				}
				if c, ok := changed[d.Name]; ok {
					d = c
				}
				changed[d.Name] = labelled(d, map[string]string{label: "true"})
				names = append(names, d.Name)
			}
			written := kuma.Resource{
				Type: service.Type, Mesh: service.Mesh, Name: service.Name,
				Labels: map[string]string{kuma.LabelDisplayName: service.Name}, Body: map[string]any{"spec": map[string]any{
					"selector": map[string]any{"dataplaneLabels": map[string]any{"matchLabels": map[string]any{label: "true"}}},
					"ports":    tree.Clone(service.Spec()["ports"]),
				}},
			}
			p.put = append(p.put, written)
			p.items = append(p.items, Item{
				Key: written.Key(), Condition: "K3-069", Action: Added,
				Text: "Replaces the MeshService that 2.14 generates for the tag, which Kuma 3.0 does not generate. It selects " +
					phrase.Some(w.equal.names(mesh.Name, names), maxNames, "Dataplanes") + " by the label " + label + ".",
			})
		}
		for _, d := range w.of(kuma.KindDataplane) {
			if c, ok := changed[d.Name]; ok && d.Mesh == mesh.Name {
				p.put = append(p.put, c)
			}
		}
		out = append(out, p)
	}
	return out
}

// serviceLabel is the label of the Dataplanes of a service, some of which belong to several.
func serviceLabel(service string) string { return "service-" + service }

// ofSeveral reports whether Dataplanes have the label of a service.
func (w *world) ofSeveral(mesh, service string) bool {
	return slices.ContainsFunc(w.proxiesOf(mesh), func(d taggedProxy) bool { return d.Labels[serviceLabel(service)] != "" })
}

// generated returns the MeshServices that 2.14 generates for the tags of a mesh, in stage two as
// if its mode was Exclusive, which stage two sets.
func (w *world) generated(mesh kuma.Resource) []kuma.Resource {
	if w.final {
		mesh = edited(mesh, func(body map[string]any) { body["meshServices"] = map[string]any{"mode": exclusive} })
	}
	dataplanes := phrase.Each(w.snapshot().Resources(mesh.Name, kuma.KindDataplane), func(d *kuma.Resource) kuma.Resource { return *d })
	return kinds.GeneratedServices(mesh, dataplanes, w.ControlPlane)
}

// sharesPort returns a Dataplane of a generated service with an inbound of another service on a
// port that the service targets.
func (w *world) sharesPort(service kuma.Resource) (dataplane string) {
	for _, d := range w.snapshot().Resources(service.Mesh, kuma.KindDataplane) {
		own, others := map[int64]bool{}, map[int64]bool{}
		for _, inbound := range tree.Root(d.Body).Get("networking", "inbound").Items() {
			port, _ := inbound.Get("port").Int()
			tag, _ := inbound.Get("tags", kuma.TagService).Text()
			if tag == service.Name {
				own[port] = true
			} else {
				others[port] = true
			}
		}
		for _, p := range tree.Objects(service.Spec()["ports"]) {
			port, _ := tree.Root(p).Get("targetPort").Int()
			if len(own) > 0 && others[port] {
				return d.Name
			}
		}
	}
	return ""
}

// isWorkload reports whether Kuma 3.0 generates a MeshService that 2.14 generates for a tag,
// from the same Dataplanes.
func (w *world) isWorkload(service kuma.Resource) bool {
	for _, d := range w.proxiesOf(service.Mesh) {
		for _, tags := range d.tags {
			if tags[kuma.TagService] == service.Name && d.Labels[kuma.LabelWorkload] != service.Name {
				return false
			}
		}
	}
	return true
}
