package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
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
	Doc: "The selector of a MeshService, MeshIdentity or MeshGateway matches no Dataplane, or that of a MeshMultiZoneService " +
		"no MeshService: requests to the service fail, and no proxy gets a certificate. " +
		"Services that the control plane generates or copies from another zone are not checked. " +
		"[`questionable`](lint-settings.md#questionable) finds empty selectors.",
}

var generatorSelectsNothing = Code{
	Code: "no-host-names", Severity: Info, Title: "HostnameGenerator that selects no service of the mesh",
	Fix: "Correct the selector, or ignore the finding if it is for another mesh",
	Doc: "The selector of a HostnameGenerator matches none of the services of its kind, so none gets a host name from it. " +
		"Services of other meshes are not considered. Generators that the control plane creates are not checked.",
}

var portWithoutInbound = Code{
	Code: "port-without-inbound", Severity: Error, Title: "Port of a service that no proxy has",
	Fix: "Correct `targetPort`, or add the inbound",
	Doc: "A `targetPort` of a MeshService is neither the number nor the name of an inbound of its Dataplanes, or a port of a " +
		"MeshMultiZoneService has no counterpart in its MeshServices: " +
		"before Kuma 3.0 one with the same number, since then one with the same name. Requests to the port fail. " +
		"[`questionable`](lint-settings.md#questionable) finds ports without `targetPort`.",
}

func findSelectsNothing(m *mesh, report func(Finding)) {
	dataplanes := m.ofKind(kuma.KindDataplane)
	mismatch := func(r *kuma.Resource, things, effect string) {
		report(selectsNothing.at(r, tree.Path{"spec", "selector"},
			fmt.Sprintf("The selector matches no %s of the mesh, so %s.", things, effect), "Correct the selector, or remove the "+r.Type+"."))
	}
	for _, s := range m.ofKind(kuma.KindMeshService) {
		if !tree.Root(s.Spec()).Get("selector").Empty() && m.isChecked(s, dataplanes) && len(m.providers()[s]) == 0 {
			mismatch(s, "Dataplane", "requests to the service fail")
		}
	}
	for _, s := range m.ofKind(kuma.KindMeshMultiZoneService) {
		services, labels := m.ofKind(kuma.KindMeshService), tree.StringMap(
			tree.Root(s.Spec()).Get("selector", "meshService", "matchLabels").Value())
		if len(services) > 0 && !slices.ContainsFunc(services, m.mayHave(labels)) {
			mismatch(s, "MeshService", "requests to the service fail")
		}
	}
	unconfigured := slices.ContainsFunc(dataplanes, func(dp *kuma.Resource) bool {
		kind, _ := tree.Root(dp.Body).Get("networking", "gateway", "type").Text()
		return kind == "BUILTIN" && !m.isBuiltinGateway(dp.Name)
	})
	configures := map[kuma.Key]bool{}
	for _, listeners := range m.gateways() {
		for _, l := range listeners {
			configures[l.Gateway] = true
		}
	}
	for _, g := range m.ofKind(kuma.KindMeshGateway) {
		if unconfigured && !configures[g.Key()] && tree.Root(g.Body).Get("conf", "listeners").Filled() {
			report(selectsNothing.at(g, tree.Path{"selectors"}, "The selectors match no Dataplane of the mesh, so no proxy has the listeners.",
				"Correct the selectors, or remove the MeshGateway."))
		}
	}
	for _, i := range m.ofKind(kinds.MeshIdentity.Name) {
		selector := tree.Root(i.Spec()).Get("selector", "dataplane")
		labels := tree.StringMap(selector.Get("matchLabels").Value())
		if !selector.Absent() && len(dataplanes) > 0 && !slices.ContainsFunc(dataplanes, m.mayHave(labels)) {
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
			return rules.SameZone(*service, *dp) && (!m.mayHave(labels)(dp) || kuma.HasAll(dp.Labels, labels))
		})
}

// mayHave returns whether a resource has labels, or lacks only those that a control plane adds,
// which documents may not have. Before Kuma 3.0, this is the name if documents without Dataplanes are those of a global control
// plane: its zones add it.
func (m *mesh) mayHave(labels map[string]string) func(*kuma.Resource) bool {
	added := []string{kuma.LabelOrigin, kuma.LabelZone, kuma.LabelEnv, kuma.LabelProxyType, kuma.LabelK8sNamespace}
	return func(r *kuma.Resource) bool {
		for key, value := range labels {
			actual, ok := r.Labels[key]
			switch key {
			case kuma.LabelDisplayName:
				if r.Type == kuma.KindDataplane || len(m.ofKind(kuma.KindDataplane)) == 0 {
					actual, ok = r.DisplayName(), true
				}
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
	return len(ref.Labels) > 0 && slices.ContainsFunc(m.ofKind(ref.Kind), m.mayHave(ref.Labels))
}

// findProviders returns what MeshServices select.
func (m *mesh) findProviders() map[*kuma.Resource][]inbound {
	found, of := map[*kuma.Resource][]inbound{}, map[*kuma.Resource][]inbound{}
	byTag := map[string][]*kuma.Resource{}
	for _, in := range m.inbounds() {
		of[in.dataplane] = append(of[in.dataplane], in)
		if service := in.tags[kuma.TagService]; !slices.Contains(byTag[service], in.dataplane) {
			byTag[service] = append(byTag[service], in.dataplane)
		}
	}
	for _, s := range m.ofKind(kuma.KindMeshService) {
		candidates := m.ofKind(kuma.KindDataplane)
		if tag, ok := tree.Root(s.Spec()).Get("selector", "dataplaneTags", kuma.TagService).Text(); ok {
			candidates = byTag[tag]
		}
		for _, dataplane := range candidates {
			if rules.Selects(*s, *dataplane) {
				found[s] = append(found[s], of[dataplane]...)
			}
		}
	}
	return found
}

func findPortWithoutInbound(m *mesh, report func(Finding)) {
	dataplanes := m.ofKind(kuma.KindDataplane)
	for _, s := range m.ofKind(kuma.KindMeshService) {
		behind := m.providers()[s]
		if !m.isChecked(s, dataplanes) || len(behind) == 0 || slices.ContainsFunc(behind, inbound.gateway) { // whose ports are not known
			continue
		}
		for _, port := range tree.Root(s.Document()).Get("spec", "ports").Items() {
			wanted := port.Get("targetPort")
			if wanted.Empty() || slices.ContainsFunc(behind, func(in inbound) bool { return rules.Receives(in.Node, port) }) {
				continue
			}
			report(portWithoutInbound.at(s, slices.Clone(wanted.Path),
				fmt.Sprintf("The Dataplanes that the service selects have no inbound %s, so requests to port %s fail. Their inbounds: %s.",
					portWords(wanted), portWords(port.Get("port")), listed(phrase.Each(behind, inbound.words))),
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
				fmt.Sprintf("None of the MeshServices that it selects has a port with the %s, so requests to this port fail. They have %s.", by,
					listed(has)),
				"Use a port that the MeshServices have."))
		}
	}
}

// listed lists different words.
func listed(words []string) string {
	return phrase.And(phrase.Sorted(words)...)
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
			if isInitial(g.Name) || len(services) == 0 || slices.ContainsFunc(services, m.mayHave(labels)) {
				continue
			}
			report(generatorSelectsNothing.at(g, selector.Path,
				fmt.Sprintf("No %s of mesh %q has the labels %s, so none gets a host name.", services[0].Type, m.name, phrase.Pairs(labels)),
				"Correct the labels, or ignore the finding if they are those of another mesh."))
		}
	}
}

// findSharedHostNames finds host names of several services in a zone: the control plane gives one to the service that was created first
// (measured on 2.14.3 and 3.0).
func findSharedHostNames(m *mesh, report func(Finding)) {
	type name struct{ kind, host string }
	simulation := request.New(m.Snapshot)
	zones, reported := map[string]bool{}, map[name]bool{}
	for _, client := range m.ofKind(kuma.KindDataplane) {
		if zones[client.Zone()] {
			continue
		}
		zones[client.Zone()] = true
		first := map[name]*kuma.Resource{}
		for _, service := range m.Resources(m.name, rules.DestinationKinds()...) {
			for _, host := range simulation.HostNames(service.ID(), client) {
				n := name{service.Type, host}
				if other := first[n]; other != nil && !reported[n] {
					reported[n] = true
					report(questionable.at(service, nil,
						fmt.Sprintf("HostnameGenerators also give the host name %s to %s, and it resolves to only one of them.", host,
							kuma.Describe(other.Type, other.Name, "")), "Give each service another host name, or remove the one that is not used."))
				}
				first[n] = service
			}
		}
	}
}

// generatorKinds are the kinds by the field of a selector of a HostnameGenerator.
var generatorKinds = map[string]string{
	"meshService": kuma.KindMeshService, "meshExternalService": kuma.KindMeshExternalService,
	"meshMultiZoneService": kuma.KindMeshMultiZoneService,
}

var selectsNoProxy = Code{
	Code: SelectsNoProxy, Severity: Warning, Title: "Policy that selects no proxy",
	Fix: "Correct the reference, or label the Dataplanes",
	Doc: "The top-level `targetRef` matches no proxy that uses the settings: a delegated gateway has no incoming traffic, only builtin " +
		"gateways use `to` of MeshRateLimit and MeshFaultInjection, and MeshPassthrough needs transparent proxying. " +
		"Policies that the control plane creates, and meshes without proxies, are not checked.",
}

func findSelectsNoProxy(m *mesh, report func(Finding)) {
	if len(m.ofKind(kuma.KindDataplane)) == 0 {
		return
	}
	for _, p := range m.policies {
		selected, spec := m.Selected(p.Key()), tree.Root(p.Spec())
		if incoming := spec.Get("rules").Filled() || spec.Get("from").Filled(); len(selected) > 0 && incoming && !spec.Get("to").Filled() &&
			!slices.ContainsFunc(selected, m.receives) {
			report(selectsNoProxy.at(p, pathOfTopRef(p),
				fmt.Sprintf("The policy has no effect, because it is for incoming traffic, for which a delegated gateway has no inbound: %s.",
					some(selected)), "Select other proxies, or remove the policy."))
		}
		if k, _ := kinds.Find(p.Type); k.Policy.Gateway.OnlyHTTP && spec.Get("to").Filled() && len(selected) > 0 &&
			!slices.ContainsFunc(selected, m.isBuiltinGateway) {
			report(selectsNoProxy.at(p, []any{"spec", "to"},
				fmt.Sprintf("The settings have no effect, because only a builtin gateway uses `to` of %s, and the policy selects none: %s.",
					p.Type, some(selected)), "Set rules for the proxies that receive the requests, or remove the policy."))
		}
		if p.Type == kinds.MeshPassthrough.Name && len(selected) > 0 && !slices.ContainsFunc(selected, m.mayPassThrough) {
			report(selectsNoProxy.at(p, pathOfTopRef(p),
				fmt.Sprintf("The policy has no effect, because no proxy that it selects has transparent proxying: %s.", some(selected)),
				"Set transparentProxying in the Dataplanes, or remove the policy."))
		}
		labels := p.TopRef().Labels
		if len(selected) > 0 || m.initial[p.Key()] || m.SelectorIsDangling(p) ||
			slices.ContainsFunc(m.ofKind(kuma.KindDataplane), func(dp *kuma.Resource) bool {
				return m.mayHave(labels)(dp) && !kuma.HasAll(dp.Labels, labels)
			}) {
			continue
		}
		path, advice := pathOfTopRef(p), "Correct the reference, or remove the policy."
		if _, inNamespace := p.Labels[kuma.LabelK8sNamespace]; !inNamespace &&
			slices.Contains([]kuma.Role{kuma.RoleConsumer, kuma.RoleWorkloadOwner}, p.Role()) {
			path, advice = []any{"labels", kuma.LabelPolicyRole}, fmt.Sprintf("Remove the label %s, or the policy.", kuma.LabelPolicyRole)
		}
		report(selectsNoProxy.at(p, path,
			fmt.Sprintf("The policy has no effect because it selects no proxy of the mesh: %s.", m.reasons(p)), advice))
	}
}

// receives reports whether a proxy can have settings for incoming traffic: a delegated gateway cannot.
func (m *mesh) receives(dataplane string) bool {
	return m.isBuiltinGateway(dataplane) || !tree.Root(m.dataplane(dataplane).Body).Get("networking", "gateway").Known()
}

// mayPassThrough reports whether connections of an application can go to a destination that its proxy does not listen for.
func (m *mesh) mayPassThrough(dataplane string) bool {
	o := m.outbounds(dataplane)
	return o.Transparent || o.Assumed
}

// reasons returns why the proxies of the mesh are not selected, the most common
// reason first.
func (m *mesh) reasons(p *kuma.Resource) string {
	var all []string
	texts := map[rules.Exclusion]string{} // several can have the same text
	dataplanes := m.ofKind(kuma.KindDataplane)
	for _, dataplane := range dataplanes {
		by, err := m.Excluded(p.Key(), dataplane.Name)
		if err != nil {
			continue // without a mesh, there is nothing to match
		}
		if _, ok := texts[by]; !ok {
			texts[by] = by.Because(*p)
		}
		all = append(all, texts[by])
	}
	reasons := phrase.Grouped(all, func(reason string) string { return reason })
	slices.SortStableFunc(reasons, func(a, b []string) int { return len(b) - len(a) })
	return strings.Join(phrase.Each(reasons, func(same []string) string {
		if len(reasons) == 1 {
			return same[0]
		}
		return fmt.Sprintf("%s (excludes %d of %d proxies)", same[0], len(same), len(dataplanes))
	}), "; ")
}

// pathOfTopRef returns the path of the top-level reference. It is empty if the policy
// has none.
func pathOfTopRef(p *kuma.Resource) []any {
	if p.Spec()["targetRef"] == nil {
		return nil
	}
	return []any{"spec", "targetRef"}
}

var disjointProxies = Code{
	Code: "disjoint-proxies", Severity: Warning, Title: "Route and policy that select different proxies",
	Fix: "Select the same proxies in both",
	Doc: "An entry refers to a route, but no proxy is selected by both the policy and the route. " +
		"The entry has no effect, although the control plane lists it for the proxies of the policy.",
}

// findDisjointProxies reports what Kuma itself cannot show (design record 000, "Route
// configuration will be applied when route was created").
func findDisjointProxies(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		selected := m.Selected(p.Key())
		if len(selected) == 0 {
			continue
		}
		for i, ref := range p.ToRefs() {
			routes := m.routesOf(p, ref)
			meets := func(r *kuma.Resource) bool { return overlap(selected, m.Selected(r.Key())) }
			if len(routes) == 0 || slices.ContainsFunc(routes, meets) {
				continue
			}
			for _, r := range routes {
				report(disjointProxies.at(p, pathOfToRef(i),
					fmt.Sprintf("The settings for %s have no effect, because no proxy is selected by both the policy and the route. "+
						"The policy selects %s, and the route %s.", r.Key().Local(), proxies(selected), cmp.Or(proxies(m.Selected(r.Key())), "no proxy")),
					fmt.Sprintf("Change the targetRef of %s or %s so that both select the same proxies.", p.Key().Local(), r.Key().Local())))
			}
		}
	}
}

// routesOf returns the routes that an entry of a policy refers to.
func (m *mesh) routesOf(p *kuma.Resource, ref kuma.TargetRef) []*kuma.Resource {
	if !rules.IsRoute(ref.Kind) {
		return nil
	}
	return phrase.Each(m.Resolve(*p, ref, 0), func(t rules.Target) *kuma.Resource { return m.Resource(t.Resource) })
}

// overlap reports whether two ascending lists have a common element.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool {
		_, ok := slices.BinarySearch(b, s)
		return ok
	})
}
