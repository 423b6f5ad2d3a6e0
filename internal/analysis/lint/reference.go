package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var danglingTarget = Code{
	Code: "dangling-target", Severity: Error, Title: "Reference to a resource that does not exist",
	Fix: "Correct the reference, or create the resource",
	Doc: "A `targetRef` names or selects something that does not exist: " +
		"a destination in `to`, or the gateway, route or proxy at the top level. " +
		"The control plane accepts it silently, and the settings have no effect. " +
		"Exception: a builtin gateway applies the entries of a route anyway, to everything that its listeners receive. " +
		"A name finds resources in the zone and namespace of the policy, labels find them in all.",
}

func findDanglingTarget(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		if m.SelectorIsDangling(p) {
			ref := p.TopRef()
			report(danglingTarget.at(p, pathOfTopRef(p),
				fmt.Sprintf("There is no %s, so the policy selects no proxy.%s", ref, m.hint(p, ref, notToTags)),
				"Correct the reference, or remove the policy."))
		}
		effect := "this entry has no effect"
		if rules.IsRoute(p.Type) && slices.ContainsFunc(m.Selected(p.Key()), m.isBuiltinGateway) {
			effect = "only builtin gateways apply this entry, to everything that their listeners receive"
		}
		for i, ref := range p.ToRefs() {
			if whole := ref.WithoutSection(); m.IsDangling(*p, whole) && !m.appliesByTag(p, ref) && !m.mayExist(ref) {
				report(danglingTarget.at(p, pathOfToRef(i),
					fmt.Sprintf("There is no %s, so %s.%s", whole, effect, m.hint(p, ref, notToTags)),
					"Correct the reference, or remove the entry."))
			}
		}
	}
}

// Why a reference does not resolve to a tag with its name.
const (
	notToTags    = "in a mesh with meshServices.mode Exclusive, an entry applies to a tag only on proxies with an outbound by that tag"
	notWithPort  = "a backendRef only resolves to a tag without port and sectionName"
	noSuchSubset = "none of its proxies has these tags"
	notOutbound  = "an outbound only resolves to a tag in its field tags"
)

// hint suggests what a reference without a target was meant to be, with a leading
// space. byTag is why it does not resolve to a tag.
func (m *mesh) hint(p *kuma.Resource, ref kuma.TargetRef, byTag string) string {
	if ref.Name == "" {
		return m.labelHint(ref)
	}
	if m.HasServiceTag(m.name, ref.Name) && (ref.Kind == kuma.KindMeshService || ref.Kind == kuma.KindMeshServiceSubset) {
		return fmt.Sprintf(" %q is a value of the tag %s, but %s.", ref.Name, kuma.TagService, byTag)
	}
	var names []string
	for _, r := range m.ofKind(ref.Kind) {
		names = append(names, r.DisplayName())
		switch {
		case r.DisplayName() == ref.Name:
			return outOfScope(r, p, ref)
		case r.Name == ref.Name:
			return fmt.Sprintf(" A %s named %q exists, but references must use its display name, which is %q.", r.Type, r.Name, r.DisplayName())
		}
	}
	return phrase.Suggest(ref.Name, names)
}

// labelHint suggests what a label was meant to be that no resource of the kind has.
func (m *mesh) labelHint(ref kuma.TargetRef) string {
	values := map[string][]string{}
	for _, r := range m.ofKind(ref.Kind) {
		for key, value := range r.Labels {
			values[key] = append(values[key], value)
		}
		if r.Labels[kuma.LabelDisplayName] == "" {
			if r.Name == ref.Labels[kuma.LabelDisplayName] {
				return fmt.Sprintf(" %s lacks the label, which control planes only set since Kuma 3.0: set it there.", r.Key().Local())
			}
			values[kuma.LabelDisplayName] = append(values[kuma.LabelDisplayName], r.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(ref.Labels)) {
		if values[key] == nil {
			return phrase.Suggest(key, slices.Sorted(maps.Keys(values)))
		}
		if !slices.Contains(values[key], ref.Labels[key]) {
			return phrase.Suggest(ref.Labels[key], slices.Sorted(slices.Values(values[key])))
		}
	}
	return ""
}

// outOfScope returns a sentence about a resource with the name of a reference in
// another zone or namespace, with a leading space.
func outOfScope(r, policy *kuma.Resource, ref kuma.TargetRef) string {
	if r.Zone() == policy.Zone() && r.Namespace() == cmp.Or(ref.Namespace, policy.Namespace()) {
		return ""
	}
	return fmt.Sprintf(" A %s with that name exists in another zone or namespace, but a name finds only those of the policy.", r.Type)
}

var danglingSection = Code{
	Code: "dangling-section", Severity: Error, Title: "Reference to a port that does not exist",
	Fix: "Name a port of the resource",
	Doc: "The service exists, but has no port with this `sectionName` or number. " +
		"A port with a name is referenced by its name, and only a port without one by its number.",
}

func findDanglingSection(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		for i, ref := range p.ToRefs() {
			if ref.SectionName == "" || !rules.IsDestination(ref.Kind) {
				continue
			}
			if len(m.Resolve(*p, ref, 0)) > 0 {
				continue
			}
			if missing := m.missingPort(p, ref, 0); missing != "" {
				effect := " The entry has no effect."
				if m.appliesByTag(p, ref) {
					effect = fmt.Sprintf(" The entry only applies to requests by the tag %s, which has no ports.", kuma.TagService)
				}
				report(danglingSection.at(p, pathOfToRef(i), missing+effect,
					"Set sectionName to one of the ports, or omit it to apply the entry to all of them."))
			}
		}
		for _, b := range rules.BackendRefs(*p) {
			_, found := m.Backend(*p, b)
			if b.Port == 0 && b.SectionName == "" || !rules.IsDestination(b.Kind) || found.Number != 0 || m.copiesToTag(b) {
				continue
			}
			if missing := m.missingPort(p, b.TargetRef, b.Port); missing != "" {
				report(danglingSection.at(p, b.Path, missing+" This destination receives nothing.", "Use one of the ports of the service."))
			}
		}
	}
}

// missingPort returns a sentence about a service that does not have the port of a
// reference, empty if the service does not exist.
func (m *mesh) missingPort(p *kuma.Resource, ref kuma.TargetRef, port int) string {
	whole := m.Resolve(*p, ref.WithoutSection(), 0)
	if len(whole) == 0 {
		return ""
	}
	service := m.Resource(whole[0].Resource)
	wanted, ports := fmt.Sprintf("%q", ref.SectionName), rules.Sections(*service)
	if ref.SectionName == "" {
		number := func(p rules.Port) string { return fmt.Sprint(p.Number) }
		wanted, ports = fmt.Sprint(port), phrase.Each(m.Ports(service.ID()), number)
	}
	if len(ports) == 0 {
		return fmt.Sprintf("%s has no port %s: it has no ports at all.", whole[0].Resource.Local(), wanted)
	}
	return fmt.Sprintf("%s has no port %s. It only has %s.", whole[0].Resource.Local(), wanted, phrase.And(ports...))
}

// SelectsNoProxy is the code of the findings about policies that select no proxy.
const SelectsNoProxy = "selects-no-proxy"

// References returns the findings of [Mesh] about references of one policy to what does not
// exist, or to what its settings have no effect on. A shadow policy has none.
func References(s *rules.Snapshot, policy kuma.Key) []Finding {
	m := newMesh(s, policy.Mesh)
	m.policies = slices.DeleteFunc(m.policies, func(p *kuma.Resource) bool { return p.Key() != policy })
	var all []Finding
	for _, find := range []func(*mesh, func(Finding)){
		findDanglingTarget, findDanglingSection, findDanglingBackend, findSelectsNoProxy,
		findRouteEntryByTags, findTopLevelRoute, findWrongProtocol,
	} {
		find(m, func(f Finding) { all = append(all, f) })
	}
	return all
}

// IsDangling reports whether the finding is about a reference to what does not exist.
func (f Finding) IsDangling() bool {
	return slices.ContainsFunc([]Code{danglingTarget, danglingSection, danglingBackend}, func(c Code) bool { return c.Code == f.Code })
}

// Title returns the title of the code of the finding.
func (f Finding) Title() string {
	codes := Codes()
	return codes[slices.IndexFunc(codes, func(c Code) bool { return c.Code == f.Code })].Title
}
