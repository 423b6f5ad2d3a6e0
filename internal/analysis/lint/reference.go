package lint

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var danglingTarget = Code{
	Code: "dangling-target", Severity: Error, Title: "Reference to nothing",
	Doc: "A `targetRef` names or selects something that does not exist: a destination in `to`, or the gateway, route or proxy of the top-level reference. The control plane stores it silently, and the settings have no effect. Names resolve in the zone and namespace of the policy; labels match everywhere.",
}

func findDanglingTarget(m *mesh) []Finding {
	var findings []Finding
	for _, p := range m.policies {
		if m.SelectorLeadsNowhere(p) {
			ref := p.TopRef()
			findings = append(findings, danglingTarget.at(p, pathOfTopRef(p),
				fmt.Sprintf("There is no %s, so the policy selects no proxy.%s", ref, m.hint(p, ref)), "Correct the reference, or remove the policy."))
		}
		for i, ref := range p.ToRefs() {
			if whole := ref.WithoutSection(); m.LeadsNowhere(*p, whole) {
				findings = append(findings, danglingTarget.at(p, pathOfToRef(i),
					fmt.Sprintf("There is no %s, so this entry has no effect.%s", whole, m.hint(p, ref)), "Correct the reference, or remove the entry."))
			}
		}
	}
	return findings
}

// hint tells what a reference may have meant, with a leading blank.
func (m *mesh) hint(p *kuma.Resource, ref kuma.TargetRef) string {
	if ref.Name == "" {
		return ""
	}
	if m.Exclusive(m.name) && m.HasServiceTag(m.name, ref.Name) && (ref.Kind == kuma.KindMeshService || ref.Kind == kuma.KindMeshServiceSubset) {
		return fmt.Sprintf(" It is a value of the tag %s, and in this mesh services are addressed as MeshService only.", kuma.TagService)
	}
	var names []string
	for _, r := range m.ofKind(ref.Kind) {
		names = append(names, r.DisplayName())
		switch {
		case r.DisplayName() == ref.Name:
			return fmt.Sprintf(" One with that name exists%s, but names resolve%s, where the policy belongs.", whereabouts(r.Zone(), r.Namespace()), whereabouts(p.Zone(), namespace(p, ref)))
		case r.Name == ref.Name:
			return fmt.Sprintf(" A reference takes the display name, which is %q here.", r.DisplayName())
		}
	}
	return phrase.Suggest(ref.Name, names)
}

func namespace(p *kuma.Resource, ref kuma.TargetRef) string {
	if ref.Namespace != "" {
		return ref.Namespace
	}
	return p.Namespace()
}

// whereabouts describes where a resource belongs, with a leading blank.
func whereabouts(zone, namespace string) string {
	out := " in no zone"
	if zone != "" {
		out = fmt.Sprintf(" in zone %q", zone)
	}
	if namespace != "" {
		out += fmt.Sprintf(" and namespace %q", namespace)
	}
	return out
}

var danglingSection = Code{
	Code: "dangling-section", Severity: Error, Title: "Reference to a port that does not exist",
	Doc: "A reference finds its service, but the service has no port of that `sectionName` or number. A port with a name is found by its name, and by its number only if it has no name.",
}

func findDanglingSection(m *mesh) []Finding {
	var findings []Finding
	for _, p := range m.policies {
		for i, ref := range p.ToRefs() {
			if ref.SectionName == "" || !rules.IsDestination(ref.Kind) {
				continue
			}
			if missing := m.missingPort(p, ref, 0); missing != "" {
				findings = append(findings, danglingSection.at(p, pathOfToRef(i), missing+" The entry has no effect.", "Name one of its ports, or leave sectionName out to mean all of them."))
			}
		}
		for _, b := range rules.BackendRefs(*p) {
			if b.Port == 0 && b.SectionName == "" || !rules.IsDestination(b.Kind) {
				continue
			}
			if missing := m.missingPort(p, b.TargetRef, b.Port); missing != "" {
				findings = append(findings, danglingSection.at(p, b.Path, missing+" Traffic that goes there fails.", "Choose one of its ports."))
			}
		}
	}
	return findings
}

// missingPort tells that a service exists and does not have the port that is
// asked for; empty when it has, or when there is no such service.
func (m *mesh) missingPort(p *kuma.Resource, ref kuma.TargetRef, port int) string {
	whole := m.Resolve(*p, ref.WithoutSection(), 0)
	if len(whole) == 0 || len(m.Resolve(*p, ref, port)) > 0 {
		return ""
	}
	wanted := fmt.Sprintf("%q", ref.SectionName)
	if ref.SectionName == "" {
		wanted = fmt.Sprint(port)
	}
	ports := rules.Sections(*m.Resource(whole[0].Resource))
	if len(ports) == 0 {
		return fmt.Sprintf("%s has no port %s, and no other.", whole[0].Resource.Local(), wanted)
	}
	return fmt.Sprintf("%s has no port %s. It has %s.", whole[0].Resource.Local(), wanted, strings.Join(ports, ", "))
}
