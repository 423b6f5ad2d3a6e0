package lint

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var danglingBackend = Code{
	Code: "dangling-backend", Severity: Error, Title: "`backendRef` to nothing",
	Doc: "A destination does not exist. The control plane stores the reference silently. For a MeshHTTPRoute, a gateway answers what is sent there with 500. Other proxies leave the destination out, and, unless all its references are by labels, a rule without any other destination too: its requests go to the next rule that fits, or to the service that was called.",
}

func findDanglingBackend(m *mesh) []Finding {
	var findings []Finding
	for _, p := range m.policies {
		for _, b := range rules.BackendRefs(*p) {
			if !m.HasBackend(*p, b) {
				findings = append(findings, danglingBackend.at(p, b.Path,
					fmt.Sprintf("There is no %s, so nothing reaches it.%s", b.WithoutSection(), m.hint(p, b.TargetRef)), "Correct the reference, or remove it."))
			}
		}
	}
	return findings
}

var ambiguousBackend = Code{
	Code: "ambiguous-backend", Severity: Error, Title: "`backendRef` that may match several services",
	Doc: "A `backendRef` by labels fits more than one service. The design of Kuma forbids that; a control plane stores it, and picks one of them.",
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
				fmt.Sprintf("%s fits %s: %s. A backendRef stands for one service, so which of them gets the traffic is left to the control plane.", b.TargetRef, phrase.Count(len(names), "service", "services"), strings.Join(names, ", ")),
				"Add a label that only one of them has, such as kuma.io/display-name or kuma.io/zone, or refer to it by name."))
		}
	}
	return findings
}
