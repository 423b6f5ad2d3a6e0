package kinds

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// maxNamePart is the longest part of a host name, in characters.
const maxNamePart = 63

// nameOf returns the name of a document.
func nameOf(doc spec.Node) spec.Node { return doc.Get("name") }

// displayName returns the name by which references know a document.
func displayName(doc spec.Node) spec.Node {
	if label := doc.Get("labels", mesh.LabelDisplayName); !label.Empty() {
		return label
	}
	return nameOf(doc)
}

// shortName checks the length of a name that becomes one part of host names.
func shortName(name func(doc spec.Node) spec.Node) spec.Check {
	return spec.Check{
		Doc: fmt.Sprintf("The name has at most %d characters.", maxNamePart),
		Test: func(n spec.Node) []spec.Problem {
			name := name(n.Root())
			if s, ok := name.Text(); ok && len(s) > maxNamePart {
				return []spec.Problem{name.Problem("Name is too long", fmt.Sprintf("The name has %d characters, and %d are allowed for this kind. Choose a shorter one.", len(s), maxNamePart))}
			}
			return nil
		},
	}.At(spec.Objects)
}

// dnsLabelName warns of a name that cannot be one part of a host name.
func dnsLabelName(name func(doc spec.Node) spec.Node) spec.Check {
	return spec.Check{Test: func(n spec.Node) []spec.Problem {
		name := name(n.Root())
		if s, ok := name.Text(); ok && spec.IsDNSSubdomain(s) && !spec.IsDNSLabel(s) {
			return []spec.Problem{name.Warning("Name is no DNS label", fmt.Sprintf("%q will be refused by later releases: use at most %d lower case letters, digits and \"-\", begin with a letter and do not end with \"-\".", s, maxNamePart))}
		}
		return nil
	}}
}

// serverNames warns of names that do not fit into the server name under which
// proxies reach the ports of a service over mTLS: the names of mesh, zone,
// service and port are its parts.
var serverNames = spec.Check{Test: func(n spec.Node) []spec.Problem {
	ports := n.Get("ports").Items()
	if len(ports) == 0 {
		return nil
	}
	names := make([]spec.Node, len(ports))
	for i, port := range ports {
		names[i] = port.Get("name")
	}
	return fitServerName(n.Root(), names...)
}}

// serverNameOfOnlyPort warns like [serverNames] for a kind whose resources have
// one port each, without a name.
var serverNameOfOnlyPort = spec.Check{Test: func(n spec.Node) []spec.Problem {
	return fitServerName(n.Root())
}}

func fitServerName(doc spec.Node, ports ...spec.Node) []spec.Problem {
	var problems []spec.Problem
	for _, part := range append([]spec.Node{doc.Get("mesh"), doc.Get("labels", mesh.LabelZone), displayName(doc)}, ports...) {
		if s, ok := part.Text(); ok && s != "" && !isHostNamePart(s) {
			problems = append(problems, part.Warning("Does not fit a server name", fmt.Sprintf("%q is a part of the server name that proxies use, where only lower case letters, digits and \"-\" are possible, at most %d characters. Rename it.", s, maxNamePart)))
		}
	}
	return problems
}

func isHostNamePart(s string) bool {
	return len(s) <= maxNamePart && !strings.Contains(s, ".") && spec.IsDNSSubdomain(s)
}
