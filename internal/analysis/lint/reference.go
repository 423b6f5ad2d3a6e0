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
	Doc: "A `targetRef` names or selects something that does not exist: a destination in `to`, or the gateway, route or proxy of the top-level reference. The control plane stores it without a word, and the settings have no effect. A name is looked for in the zone and namespace of the policy; labels are looked for everywhere.",
}

func findDanglingTarget(v *view) []Finding {
	var findings []Finding
	for _, p := range v.policies {
		if v.topIsDangling(p) {
			ref := kuma.ParseTargetRef(p.Spec()["targetRef"])
			findings = append(findings, danglingTarget.at(p, pathOfSelector(p),
				fmt.Sprintf("There is no %s, so the policy selects no proxy.%s", kuma.Reference(ref), v.hint(p, ref)), "Correct the reference, or remove the policy."))
		}
		for i, ref := range p.ToRefs() {
			if whole := withoutSection(ref); v.snapshot.LeadsNowhere(*p, whole) {
				findings = append(findings, danglingTarget.at(p, toRef(i),
					fmt.Sprintf("There is no %s, so this entry has no effect.%s", kuma.Reference(whole), v.hint(p, ref)), "Correct the reference, or remove the entry."))
			}
		}
	}
	return findings
}

// exists reports whether there is what a reference means, leaving ports aside.
func (v *view) exists(p *kuma.Resource, ref kuma.TargetRef) bool {
	return len(v.snapshot.Resolve(*p, withoutSection(ref), 0)) > 0
}

func withoutSection(ref kuma.TargetRef) kuma.TargetRef {
	ref.SectionName = ""
	return ref
}

// hint tells what a reference may have meant, with a leading blank.
func (v *view) hint(p *kuma.Resource, ref kuma.TargetRef) string {
	if ref.Name == "" {
		return ""
	}
	if v.exclusive && v.tags[ref.Name] && (ref.Kind == kuma.KindMeshService || ref.Kind == kuma.KindMeshServiceSubset) {
		return fmt.Sprintf(" It is a value of the tag %s, and in this mesh services are addressed as MeshService only.", kuma.TagService)
	}
	var names []string
	for _, r := range v.byType[ref.Kind] {
		names = append(names, r.DisplayName())
		switch {
		case r.DisplayName() == ref.Name:
			return fmt.Sprintf(" One of that name exists%s, and a name is looked for%s, where the policy belongs.", place(r.Zone(), r.Namespace()), place(p.Zone(), namespace(p, ref)))
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

// place describes where a resource belongs, with a leading blank.
func place(zone, namespace string) string {
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

func findDanglingSection(v *view) []Finding {
	var findings []Finding
	for _, p := range v.policies {
		for i, ref := range p.ToRefs() {
			if ref.SectionName == "" || !rules.IsDestination(ref.Kind) {
				continue
			}
			if m := v.missingPort(p, ref, 0); m != "" {
				findings = append(findings, danglingSection.at(p, toRef(i), m+" The entry has no effect.", "Name one of its ports, or leave sectionName out to mean all of them."))
			}
		}
		for _, b := range backends(p) {
			if b.port == 0 && b.ref.SectionName == "" || !rules.IsDestination(b.ref.Kind) {
				continue
			}
			if m := v.missingPort(p, b.ref, b.port); m != "" {
				findings = append(findings, danglingSection.at(p, b.path, m+" Traffic that goes there fails.", "Choose one of its ports."))
			}
		}
	}
	return findings
}

// missingPort tells that a service exists and does not have the port that is
// asked for; empty when it has, or when there is no such service.
func (v *view) missingPort(p *kuma.Resource, ref kuma.TargetRef, port int) string {
	whole := v.snapshot.Resolve(*p, withoutSection(ref), 0)
	if len(whole) == 0 || len(v.snapshot.Resolve(*p, ref, port)) > 0 {
		return ""
	}
	wanted := fmt.Sprintf("%q", ref.SectionName)
	if ref.SectionName == "" {
		wanted = fmt.Sprint(port)
	}
	ports := rules.Sections(*v.byKey[whole[0].Resource])
	if len(ports) == 0 {
		return fmt.Sprintf("%s has no port %s, and no other.", named(whole[0].Resource), wanted)
	}
	return fmt.Sprintf("%s has no port %s. It has %s.", named(whole[0].Resource), wanted, strings.Join(ports, ", "))
}
