package check

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// maxNamePart is the longest part of a host name, in characters.
const maxNamePart = 63

// Name returns the field of a document that contains its name.
func Name(doc tree.Node) tree.Node { return doc.Get("name") }

// DisplayName returns the field that contains the name by which references
// identify a document.
func DisplayName(doc tree.Node) tree.Node {
	if label := doc.Get("labels", kuma.LabelDisplayName); !label.Empty() {
		return label
	}
	return Name(doc)
}

// ShortName checks the length of a name that becomes one part of host names.
func ShortName(name func(doc tree.Node) tree.Node) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("The name must have at most %d characters.", maxNamePart),
		Test: func(n tree.Node) []def.Problem {
			name := name(n.Root())
			if s, ok := name.Text(); ok && len(s) > maxNamePart {
				return []def.Problem{def.ErrorAt(name, "Name is too long",
					fmt.Sprintf("The name has %d characters. Names of this kind must have at most %d.", len(s), maxNamePart))}
			}
			return nil
		},
	}.At(def.Objects)
}

// DNSLabelName warns about a name that cannot be one part of a host name, which Kuma 3.0
// rejects.
func DNSLabelName(display func(doc tree.Node) tree.Node) def.Check {
	invalid := func(n tree.Node) (name tree.Node, s string, found bool) {
		name = display(n.Root())
		s, ok := name.Text()
		return name, s, ok && kuma.IsDNSSubdomain(s) && !kuma.IsDNSLabel(s)
	}
	return def.Check{
		Test: func(n tree.Node) []def.Problem {
			name, s, found := invalid(n)
			return def.WarningIf(found, name, "Name is not a DNS label",
				"Kuma 3.0 rejects %q. The name should consist of at most %d lowercase letters, digits and \"-\", begin with a letter "+
					"and not end with \"-\".", s, maxNamePart)
		},
		ByRelease: func(n tree.Node, r kuma.Release) []def.Problem {
			name, s, found := invalid(n)
			if !found || !r.Kuma3() {
				return nil
			}
			p := def.ErrorAt(name, "Name is not a DNS label",
				fmt.Sprintf("%q is not a valid name since Kuma 3.0, and the control plane runs %s. "+
					"It must consist of at most %d lowercase letters, digits and \"-\", begin with a letter and not end with \"-\".", s, r, maxNamePart))
			p.Stage = def.Objects
			return []def.Problem{p}
		},
	}
}

// ServerNames warns about names that do not fit into the server name under which
// proxies reach the ports of a service over mTLS: the names of mesh, zone,
// service and port are its parts.
var ServerNames = def.Check{Test: func(n tree.Node) []def.Problem {
	ports := n.Get("ports").Items()
	if len(ports) == 0 {
		return nil
	}
	names := make([]tree.Node, len(ports))
	for i, port := range ports {
		names[i] = port.Get("name")
	}
	return fitServerName(n.Root(), names...)
}}

// ServerNameWithoutPorts warns like [ServerNames] for a kind whose resources have
// one port each, without a name.
var ServerNameWithoutPorts = def.Check{Test: func(n tree.Node) []def.Problem {
	return fitServerName(n.Root())
}}

func fitServerName(doc tree.Node, ports ...tree.Node) []def.Problem {
	var problems []def.Problem
	for _, part := range append([]tree.Node{doc.Get("mesh"), doc.Get("labels", kuma.LabelZone), DisplayName(doc)}, ports...) {
		s, ok := part.Text()
		invalid := len(part.Path) == 1 && !kuma.IsDNSSubdomain(s) // a name or mesh that is rejected
		if ok && s != "" && !invalid && !isHostNamePart(s) {
			problems = append(problems, def.WarningAt(part, "Name is not valid in SNI",
				fmt.Sprintf(
					"%q becomes part of the server name (SNI) that proxies use, so it must consist of at most %d lowercase letters, digits and \"-\".", s,
					maxNamePart)))
		}
	}
	return problems
}

func isHostNamePart(s string) bool {
	return len(s) <= maxNamePart && !strings.Contains(s, ".") && kuma.IsDNSSubdomain(s)
}

// WorkloadName checks the label of a Dataplane that becomes the name of a
// Workload.
var WorkloadName = def.Check{
	Doc: "The label `kuma.io/workload` must be a DNS label: lowercase letters, digits and `-`, at most 63 characters.",
	Test: func(n tree.Node) []def.Problem {
		label := n.Root().Get("labels", kuma.LabelWorkload)
		s, ok := label.Text()
		return def.ErrorIf(ok && !kuma.IsDNSLabel(s), label, "Invalid workload name",
			"%q is not a valid Workload name. It must consist of at most %d lowercase letters, digits and \"-\", begin with a letter "+
				"and not end with \"-\".", s, maxNamePart)
	},
}.At(def.Objects)
