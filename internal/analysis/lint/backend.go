package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var danglingBackend = Code{
	Code: "dangling-backend", Severity: Error, Title: "`backendRef` to a destination that does not exist",
	Fix: "Correct the reference, or create the destination",
	Doc: "A destination of a route or a telemetry backend does not exist. " +
		"Its requests fail through a gateway, in Kuma 3.0, and if only tags of a MeshServiceSubset match nothing. " +
		"Otherwise, proxies omit the destination, and the whole rule if none of them exists: " +
		"requests go to the next matching rule, or to the called service if none matches or all references are by labels. " +
		"Connections by a MeshTCPRoute can fail.",
}

func findDanglingBackend(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		for _, b := range rules.BackendRefs(*p) {
			if !m.HasBackend(*p, b) && !m.mayExist(b.TargetRef) && !m.copiesToTag(b) {
				byTag := notWithPort
				if b.Port == 0 && b.SectionName == "" {
					byTag = noSuchSubset
				}
				effect := "this destination receives nothing"
				if len(b.Tags) > 0 && m.HasServiceTag(m.name, b.Name) && !isMirror(b) {
					effect = "its share of the requests fails"
				}
				report(danglingBackend.at(p, b.Path,
					fmt.Sprintf("There is no %s, so %s.%s", b.WithoutSection(), effect, m.hint(p, b.TargetRef, byTag)),
					"Correct the reference, or remove it."))
			}
		}
	}
}

// isMirror reports whether a route copies requests to a reference.
func isMirror(b rules.BackendRef) bool { return slices.Contains(b.Path, any("requestMirror")) }

// copiesToTag reports whether a mirror copies requests to a tag of the mesh, whatever port it names (matching.md §17.10).
func (m *mesh) copiesToTag(b rules.BackendRef) bool {
	return isMirror(b) && !m.Release().Kuma3() && len(b.Tags) == 0 && m.HasServiceTag(m.name, b.Name)
}

var portlessBackend = Code{
	Code: "backend-without-port", Severity: Warning, Title: "Destination of a route without a port",
	Fix: "Set `port`",
	Doc: "A `backendRef` to a MeshService has neither `port` nor `sectionName`. " +
		"Before Kuma 3.0, the name is then a value of the tag `kuma.io/service`, labels match nothing, and the rule is dropped if no Dataplane " +
		"has the tag. In Kuma 3.0, the reference resolves if the service has one port; with several, requests are answered with 500. " +
		"A name that is a tag and not a MeshService is not reported.",
}

func findPortlessBackend(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		if !rules.IsRoute(p.Type) {
			continue
		}
		for _, b := range rules.BackendRefs(*p) {
			if b.Kind != kuma.KindMeshService || b.Port != 0 || b.SectionName != "" || isMirror(b) { // which has its own rules
				continue
			}
			services, isTag := m.Resolve(*p, b.TargetRef, 0), b.Name != "" && m.HasServiceTag(m.name, b.Name)
			message, suggestion, isTCP := "", "Set port.", p.Type == kuma.KindMeshTCPRoute
			switch {
			case len(services) == 0:
			case m.Release().Kuma3():
				effect := "requests are answered with 500"
				if isTCP {
					effect = "it gets no connections"
				}
				if n := len(m.Ports(m.Resource(services[0].Resource).ID())); n > 1 {
					message = fmt.Sprintf("The destination has no port, but %s has %d, so %s.", services[0].Resource.Local(), n, effect)
				}
			case isTag:
				message = fmt.Sprintf("The destination has no port, so it is the tag %s=%s, and not %s.", kuma.TagService, b.Name,
					services[0].Resource.Local())
				suggestion = "Set port if the MeshService is meant."
			case isTCP && len(b.Labels) > 0: // which freezes proxies
			default:
				message = fmt.Sprintf("The destination has no port, so it does not refer to %s, and gets no requests.", services[0].Resource.Local())
			}
			if message != "" {
				report(portlessBackend.at(p, b.Path, message, suggestion))
			}
		}
	}
}

var backendWithoutNamespace = Code{
	Code: "backend-without-namespace", Severity: Info, Title: "Destination in a Kubernetes zone without a namespace",
	Fix: "Add the label `k8s.kuma.io/namespace`",
	Doc: "A `backendRef` selects a service of a Kubernetes zone by `kuma.io/display-name`, but not by `k8s.kuma.io/namespace`. " +
		"Kuma's design ignores such a reference. " +
		"Kuma 2.14.3 and 3.0 resolve it while only one namespace has a service with that name; with two, it is an " +
		"[`ambiguous-backend`](#ambiguous-backend).",
}

func findBackendWithoutNamespace(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		for _, b := range rules.BackendRefs(*p) {
			targets := m.Resolve(*p, b.WithoutSection(), 0)
			if b.Labels[kuma.LabelDisplayName] == "" || b.Labels[kuma.LabelK8sNamespace] != "" || len(targets) != 1 {
				continue
			}
			if namespace := m.Resource(targets[0].Resource).Labels[kuma.LabelK8sNamespace]; namespace != "" {
				report(backendWithoutNamespace.at(p, b.Path,
					fmt.Sprintf("The reference does not name the namespace of the service, which is %q. "+
						"A service with the same name in another namespace would make it ambiguous.", namespace),
					fmt.Sprintf("Add the label %s: %s.", kuma.LabelK8sNamespace, namespace)))
			}
		}
	}
}

var ambiguousBackend = Code{
	Code: "ambiguous-backend", Severity: Error, Title: "Reference that matches several services",
	Fix: "Add labels until one service is left",
	Doc: "A `backendRef`, or a reference of a Dataplane, matches several services. " +
		"Against Kuma's design, the control plane accepts it, and uses the oldest, or any one for a transparent proxy.",
}

func findAmbiguousBackend(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		for _, b := range rules.BackendRefs(*p) {
			if targets := m.Resolve(*p, b.WithoutSection(), 0); len(targets) > 1 {
				services := phrase.Each(targets, func(t rules.Target) kuma.Key { return t.Resource })
				message, suggestion := m.ambiguous(b.TargetRef, services)
				report(ambiguousBackend.at(p, b.Path,
					message+" A backendRef must match exactly one service. The control plane uses the oldest one.", suggestion))
			}
		}
	}
	for _, dp := range m.ofKind(kuma.KindDataplane) {
		drawn := map[kuma.ID]bool{}
		outbounds := m.outbounds(dp.Name)
		for _, o := range outbounds.All {
			drawn[o.Port.Resource] = drawn[o.Port.Resource] || o.Drawn
		}
		for _, o := range rules.Outbounds(*dp) {
			byLabels, used := len(o.Labels) > 0 || m.Release().Kuma3(), "the oldest one"
			if outbounds.Transparent {
				byLabels, used = false, "one of them, which can change"
			}
			services := slices.DeleteFunc(m.Consumed(m.name, o), func(key kuma.Key) bool { return !byLabels && !drawn[m.Resource(key).ID()] })
			if len(services) > 1 {
				message, suggestion := m.ambiguous(o.TargetRef, services)
				report(ambiguousBackend.at(dp, o.Path, message+" The proxy gets a listener for "+used+".", suggestion))
			}
		}
	}
}

// ambiguous says that a reference matches several services, and how to make it match one.
func (m *mesh) ambiguous(ref kuma.TargetRef, services []kuma.Key) (message, suggestion string) {
	values := map[string][]string{} // of labels
	for _, key := range services {
		for label, value := range m.Resource(key).Labels {
			values[label] = append(values[label], value)
		}
	}
	suggestion = "Add a label that only one of them has."
	if !m.Release().Kuma3() {
		suggestion = "Add a label that only one of them has, or refer to the service by name."
	}
	for _, key := range []string{kuma.LabelK8sNamespace, kuma.LabelZone, kuma.LabelDisplayName} {
		if different := phrase.Sorted(values[key]); len(different) > 1 {
			suggestion = fmt.Sprintf("Add the label %s, which is %s.", key, phrase.Or(different...))
		}
	}
	return fmt.Sprintf("The reference to %s matches %s: %s.", ref, phrase.Count(len(services), "service", "services"),
		phrase.And(phrase.Each(services, func(key kuma.Key) string { return key.Name })...)), suggestion
}
