package lint

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var selectsNothing = Code{
	Code: "selects-nothing", Severity: Warning, Title: "Service or identity that selects nothing",
	Fix: "Correct the selector, or remove the resource",
	Doc: "The selector of a MeshService or MeshIdentity matches no Dataplane, or the selector of a MeshMultiZoneService no MeshService: requests to the service fail, and no proxy gets a certificate from the identity. Services that the control plane generates or copies from another zone are not checked. [`questionable`](lint-settings.md#questionable) finds empty selectors.",
}

var generatorSelectsNothing = Code{
	Code: "no-host-names", Severity: Info, Title: "HostnameGenerator that selects no service of the mesh",
	Fix: "Correct the selector, or ignore the finding if it is for another mesh",
	Doc: "The selector of a HostnameGenerator matches none of the services of its kind, so that none gets a host name from it. Services of other meshes are not considered. Generators that the control plane creates are not checked.",
}

var portWithoutInbound = Code{
	Code: "port-without-inbound", Severity: Error, Title: "Port of a service that no proxy has",
	Fix: "Correct `targetPort`, or add the inbound",
	Doc: "A `targetPort` of a MeshService is neither the number nor the name of an inbound of its Dataplanes, or a port of a MeshMultiZoneService has no counterpart in its MeshServices: before Kuma 3.0 one with the same number, since then one with the same name. Requests to the port fail. [`questionable`](lint-settings.md#questionable) finds ports without `targetPort`. Measured on 2.14.3 and 3.0.",
}

func findSelectsNothing(m *mesh, report func(Finding)) {
	dataplanes := m.ofKind(kuma.KindDataplane)
	mismatch := func(r *kuma.Resource, things, effect string) {
		report(selectsNothing.at(r, tree.Path{"spec", "selector"},
			fmt.Sprintf("The selector matches no %s of the mesh, so that %s.", things, effect), "Correct the selector, or remove the "+r.Type+"."))
	}
	for _, s := range m.ofKind(kuma.KindMeshService) {
		if !tree.Root(s.Spec()).Get("selector").Empty() && m.isChecked(s, dataplanes) && len(m.provide(s)) == 0 {
			mismatch(s, "Dataplane", "requests to the service fail")
		}
	}
	for _, s := range m.ofKind(kuma.KindMeshMultiZoneService) {
		services, labels := m.ofKind(kuma.KindMeshService), tree.StringMap(tree.Root(s.Spec()).Get("selector", "meshService", "matchLabels").Value())
		if len(services) > 0 && !slices.ContainsFunc(services, mayHave(labels)) {
			mismatch(s, "MeshService", "requests to the service fail")
		}
	}
	for _, i := range m.ofKind(kinds.MeshIdentity.Name) {
		selector := tree.Root(i.Spec()).Get("selector", "dataplane")
		labels := tree.StringMap(selector.Get("matchLabels").Value())
		if !selector.Absent() && len(dataplanes) > 0 && !slices.ContainsFunc(dataplanes, mayHave(labels)) {
			mismatch(i, "Dataplane", "no proxy gets this identity")
		}
	}
}

// isChecked reports whether the Dataplanes of a MeshService are known: it is not generated, and
// not a copy of one of another zone.
func (m *mesh) isChecked(service *kuma.Resource, dataplanes []*kuma.Resource) bool {
	labels := tree.StringMap(tree.Root(service.Spec()).Get("selector", "dataplaneLabels", "matchLabels").Value())
	return service.Labels[kuma.LabelManagedBy] == "" && service.Labels[kuma.LabelOrigin] != kuma.OriginGlobal &&
		slices.ContainsFunc(dataplanes, func(dp *kuma.Resource) bool {
			return rules.SameZone(*service, *dp) && (!mayHave(labels)(dp) || kuma.HasAll(dp.Labels, labels))
		})
}

// mayHave returns whether a resource has labels, or lacks only those that a control plane adds,
// which documents may not have.
func mayHave(labels map[string]string) func(*kuma.Resource) bool {
	added := []string{kuma.LabelOrigin, kuma.LabelZone, kuma.LabelEnv, kuma.LabelProxyType, kuma.LabelK8sNamespace}
	return func(r *kuma.Resource) bool {
		for key, value := range labels {
			actual, ok := r.Labels[key]
			switch key {
			case kuma.LabelDisplayName:
				actual, ok = r.DisplayName(), true
			case kuma.LabelMesh:
				actual, ok = r.Mesh, true
			}
			if actual != value && (ok || !slices.Contains(added, key)) {
				return false
			}
		}
		return true
	}
}

// mayExist reports whether a reference by labels may have a target that the documents do not show.
func (m *mesh) mayExist(ref kuma.TargetRef) bool {
	return len(ref.Labels) > 0 && slices.ContainsFunc(m.ofKind(ref.Kind), mayHave(ref.Labels))
}

// provide returns what a MeshService selects.
func (m *mesh) provide(service *kuma.Resource) []inbound {
	return slices.DeleteFunc(slices.Clone(m.inbounds()), func(in inbound) bool { return !rules.Selects(*service, *in.dataplane) })
}

func findPortWithoutInbound(m *mesh, report func(Finding)) {
	dataplanes := m.ofKind(kuma.KindDataplane)
	for _, s := range m.ofKind(kuma.KindMeshService) {
		behind := m.provide(s)
		if !m.isChecked(s, dataplanes) || len(behind) == 0 || slices.ContainsFunc(behind, inbound.gateway) { // whose ports are not known
			continue
		}
		for _, port := range tree.Root(s.Document()).Get("spec", "ports").Items() {
			wanted := port.Get("targetPort")
			if wanted.Empty() || slices.ContainsFunc(behind, func(in inbound) bool { return rules.Receives(in.Node, port) }) {
				continue
			}
			report(portWithoutInbound.at(s, slices.Clone(wanted.Path),
				fmt.Sprintf("No inbound of the Dataplanes that the service selects is %s, so that requests to port %s fail. They have %s.", portWords(wanted), portWords(port.Get("port")), listed(phrase.Each(behind, inbound.words))),
				"Set targetPort to the number or name of one of these inbounds, or add the inbound to the Dataplanes."))
		}
	}
	for _, s := range m.ofKind(kuma.KindMeshMultiZoneService) {
		var ports []rules.Port
		for _, id := range m.Behind(s.ID()) {
			ports = append(ports, m.Ports(id)...)
		}
		for _, port := range tree.Root(s.Document()).Get("spec", "ports").Items() {
			number, _ := port.Get("port").Int()
			name, _ := port.Get("name").Text()
			byName := m.Release().Kuma3() && name != ""
			meets := func(p rules.Port) bool { return byName && p.Section == name || !byName && p.Number == int(number) }
			if len(ports) == 0 || slices.ContainsFunc(ports, meets) {
				continue
			}
			by, has := "number "+strconv.Itoa(int(number)), []string{}
			if byName {
				by = fmt.Sprintf("name %q", name)
			}
			for _, p := range ports {
				if byName {
					has = append(has, p.Section)
				} else {
					has = append(has, strconv.Itoa(p.Number))
				}
			}
			report(portWithoutInbound.at(s, slices.Clone(port.Path),
				fmt.Sprintf("None of the MeshServices that it selects has a port with the %s, so that requests to this port fail. They have %s.", by, listed(has)),
				"Use a port that the MeshServices have."))
		}
	}
}

// listed lists different words.
func listed(words []string) string {
	return phrase.And(slices.Compact(slices.Sorted(slices.Values(words)))...)
}

func (in inbound) words() string {
	number := portWords(in.Get("port"))
	if name, _ := in.Get("name").Text(); name != "" {
		return fmt.Sprintf("%s (%s)", number, name)
	}
	return number
}

func portWords(n tree.Node) string {
	if text, ok := n.Text(); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(n.Value())
}

func findGeneratorSelectsNothing(m *mesh, report func(Finding)) {
	isInitial := func(name string) bool {
		return slices.ContainsFunc(kinds.HostnameGenerator.Initial, func(i def.Initial) bool { return i.Name == name })
	}
	for _, g := range m.Resources("", kinds.HostnameGenerator.Name) {
		for _, selector := range tree.Root(g.Document()).Get("spec", "selector").Entries() {
			services := m.ofKind(generatorKinds[selector.Key()])
			labels := tree.StringMap(selector.Get("matchLabels").Value())
			if isInitial(g.Name) || len(services) == 0 || slices.ContainsFunc(services, mayHave(labels)) {
				continue
			}
			report(generatorSelectsNothing.at(g, selector.Path,
				fmt.Sprintf("No %s of mesh %q has the labels %s, so that none gets a host name.", services[0].Type, m.name, phrase.Pairs(labels)), "Correct the labels, or ignore the finding if they are those of another mesh."))
		}
	}
}

// generatorKinds are the kinds by the field of a selector of a HostnameGenerator.
var generatorKinds = map[string]string{
	"meshService": kuma.KindMeshService, "meshExternalService": kuma.KindMeshExternalService, "meshMultiZoneService": kuma.KindMeshMultiZoneService,
}
