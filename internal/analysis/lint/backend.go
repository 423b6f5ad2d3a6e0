package lint

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var danglingBackend = Code{
	Code: "dangling-backend", Severity: Error, Title: "`backendRef` to a destination that does not exist",
	Fix: "Correct the reference, or create the destination",
	Doc: "A destination does not exist. The control plane accepts the reference silently. In a MeshHTTPRoute of a gateway, requests to the destination fail with status 500. Other proxies omit the destination. If no destination of a rule exists, they also omit the rule: its requests go to the next matching rule, or to the service that was called. A rule whose references are all by labels is not omitted: its requests go to the service that was called.",
}

func findDanglingBackend(m *mesh) []Finding {
	var findings []Finding
	for _, p := range m.policies {
		for _, b := range rules.BackendRefs(*p) {
			if !m.HasBackend(*p, b) {
				findings = append(findings, danglingBackend.at(p, b.Path,
					fmt.Sprintf("There is no %s, so this destination receives nothing.%s", b.WithoutSection(), m.hint(p, b.TargetRef, notWithPort)), "Correct the reference, or remove it."))
			}
		}
	}
	return findings
}

var ambiguousBackend = Code{
	Code: "ambiguous-backend", Severity: Error, Title: "`backendRef` that matches several services",
	Fix: "Add labels until one service is left",
	Doc: "A `backendRef` by labels matches more than one service. Kuma's design does not allow this, but the control plane accepts it and picks one of the services.",
}

func findAmbiguousBackend(m *mesh) []Finding {
	var findings []Finding
	for _, p := range m.policies {
		for _, b := range rules.BackendRefs(*p) {
			targets := m.Resolve(*p, b.WithoutSection(), 0)
			if len(targets) < 2 {
				continue
			}
			var names []string
			for _, t := range targets {
				names = append(names, t.Resource.Name)
			}
			findings = append(findings, ambiguousBackend.at(p, b.Path,
				fmt.Sprintf("The reference to %s matches %s: %s. A backendRef must match exactly one service. The control plane sends the traffic to one of them.", b.TargetRef, phrase.Count(len(names), "service", "services"), phrase.And(names...)),
				"Add a label that only one of them has, such as kuma.io/display-name or kuma.io/zone, or refer to the service by name."))
		}
	}
	return findings
}
