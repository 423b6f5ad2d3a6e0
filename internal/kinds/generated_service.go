package kinds

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// serviceGenerator is the value of the label kuma.io/managed-by of generated MeshServices.
const serviceGenerator = "meshservice-generator"

// generatedServicesSince is the release since which generated MeshServices have the label
// of their zone, and names that are DNS labels (rest-api.md §10).
const generatedServicesSince = "2.10"

// lowerProtocolSince is a release since which the protocols of generated MeshServices are
// in lower case; releases after 2.11 were not measured.
const lowerProtocolSince = "2.14"

var olderServiceName = regexp.MustCompile(`^[0-9a-z._-]{1,63}$`)

// GeneratesServices reports whether a control plane generates MeshServices for a mesh:
// Kuma 3.0 does for every mesh (release3.md §5).
func GeneratesServices(mesh kuma.Resource, r kuma.Release) bool {
	mode, _ := tree.Root(mesh.Body).Get("meshServices", "mode").Text()
	return r.Kuma3() || mode != "" && mode != "Disabled"
}

// IsGeneratedService reports whether a control plane generated a MeshService, and
// maintains it.
func IsGeneratedService(r kuma.Resource) bool {
	return r.Type == MeshService.Name && r.Labels[kuma.LabelManagedBy] == serviceGenerator
}

// GeneratedServices returns the MeshServices that a control plane of a zone generates for
// the Dataplanes of a mesh: one for each value of the tag kuma.io/service, or in Kuma 3.0 of
// the label kuma.io/workload. It stores them unless there is another MeshService with the
// name (rest-api.md §10, release3.md §5).
func GeneratedServices(mesh kuma.Resource, dataplanes []kuma.Resource, cp kuma.ControlPlane) []kuma.Resource {
	if cp.Mode == kuma.ModeGlobal || cp.Embedded || cp.Kubernetes || !GeneratesServices(mesh, cp.Release) {
		return nil
	}
	ordered := slices.DeleteFunc(slices.Clone(dataplanes), func(dataplane kuma.Resource) bool {
		return dataplane.Mesh != mesh.Name || dataplane.Zone() != "" && dataplane.Zone() != cp.Zone
	})
	slices.SortFunc(ordered, func(a, b kuma.Resource) int { return cmp.Or(kuma.CompareCreation(&a, &b), cmp.Compare(a.Name, b.Name)) })
	seen := map[string]bool{}
	var out []kuma.Resource
	for _, dataplane := range ordered {
		for _, inbound := range tree.Root(dataplane.Body).Get("networking", "inbound").Items() {
			name := serviceOf(dataplane, inbound, cp)
			if !seen[name] && isServiceName(name, cp.Release) {
				service := generatedService(dataplane, name, cp)
				if len(MeshService.ValidateRelease(service.Document(), cp.Release)) == 0 { // such as a protocol of inbounds only
					out = append(out, service)
				}
			}
			seen[name] = true
		}
	}
	return out
}

// serviceOf returns the name of the MeshService that is generated for an inbound.
func serviceOf(dataplane kuma.Resource, inbound tree.Node, cp kuma.ControlPlane) string {
	if cp.ServesWorkloads() {
		return dataplane.Labels[kuma.LabelWorkload]
	}
	name, _ := inbound.Get("tags", kuma.TagService).Text()
	return name
}

func isServiceName(name string, r kuma.Release) bool {
	if !r.Has(generatedServicesSince) {
		return olderServiceName.MatchString(name)
	}
	return kuma.IsDNSLabel(name)
}

// ReadGenerated returns a resource as a control plane has it that may generate MeshServices for workloads, instead of tags.
func ReadGenerated(r kuma.Resource, cp kuma.ControlPlane) kuma.Resource {
	if IsGeneratedService(r) && cp.ServesWorkloads() {
		workload := cmp.Or(r.Labels[kuma.LabelDisplayName], r.Name)
		r = r.Clone()
		r.Spec()["selector"] = map[string]any{"dataplaneLabels": map[string]any{"matchLabels": map[string]any{kuma.LabelWorkload: workload}}}
	}
	return r
}

// generatedService returns the MeshService for the inbounds of a Dataplane that belong to it.
func generatedService(dataplane kuma.Resource, name string, cp kuma.ControlPlane) kuma.Resource {
	selector := map[string]any{"dataplaneTags": map[string]any{kuma.TagService: name}}
	r := MeshService.Store(ReadGenerated(kuma.Resource{
		Type: MeshService.Name, Mesh: dataplane.Mesh, Name: name,
		Labels: map[string]string{kuma.LabelDisplayName: name, kuma.LabelManagedBy: serviceGenerator},
		Body:   map[string]any{"spec": map[string]any{"selector": selector, "ports": generatedPorts(dataplane, name, cp)}},
	}, cp), def.StoreContext{ControlPlane: cp, Create: true})
	if !cp.Release.Has(generatedServicesSince) {
		delete(r.Labels, kuma.LabelZone)
	}
	return r
}

func generatedPorts(dataplane kuma.Resource, service string, cp kuma.ControlPlane) []any {
	var ports []any
	for _, inbound := range tree.Root(dataplane.Body).Get("networking", "inbound").Items() {
		if serviceOf(dataplane, inbound, cp) != service {
			continue
		}
		number, _ := inbound.Get("port").Value().(json.Number)
		section, _ := inbound.Get("name").Text()
		protocol, _ := inbound.Get("protocol").Text()
		if protocol == "" && !cp.ServesWorkloads() {
			protocol, _ = inbound.Get("tags", kuma.TagProtocol).Text()
		}
		if cp.Release.Has(lowerProtocolSince) {
			protocol = strings.ToLower(protocol)
		}
		ports = append(ports, map[string]any{
			"name": cmp.Or(section, number.String()), "port": number, "targetPort": number, "appProtocol": cmp.Or(protocol, "tcp"),
		})
	}
	return ports
}
