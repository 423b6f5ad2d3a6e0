package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var danglingBackend = Code{
	Code: "dangling-backend", Severity: Error, Title: "`backendRef` to nothing",
	Doc: "A destination does not exist. The control plane stores the reference silently. For a MeshHTTPRoute, a gateway answers what is sent there with 500. Other proxies leave the destination out, and, unless all its references are by labels, a rule without any other destination too: its requests go to the next rule that fits, or to the service that was called.",
}

func findDanglingBackend(v *view) []Finding {
	var findings []Finding
	for _, p := range v.policies {
		for _, b := range backends(p) {
			if !v.isBackend(p, b) {
				findings = append(findings, danglingBackend.at(p, b.path,
					fmt.Sprintf("There is no %s, so nothing reaches it.%s", kuma.Reference(withoutSection(b.ref)), v.hint(p, b.ref)), "Correct the reference, or remove it."))
			}
		}
	}
	return findings
}

// isBackend reports whether there is something to send traffic to, or whether
// that cannot be known. Where services are addressed as resources only, tags are
// nothing to send traffic to.
func (v *view) isBackend(p *kuma.Resource, b backend) bool {
	byTag := b.ref.Kind == kuma.KindMeshServiceSubset || b.ref.Kind == kuma.KindMeshService && b.port == 0 && b.ref.SectionName == ""
	switch {
	case byTag && v.exclusive:
		return v.exists(p, b.ref)
	case byTag && len(v.tags) == 0 && len(v.byType[kuma.KindMeshService]) == 0:
		return true
	case b.ref.Kind == kuma.KindMeshServiceSubset:
		return slices.ContainsFunc(v.byType[kuma.KindDataplane], func(dp *kuma.Resource) bool {
			return slices.ContainsFunc(serviceTags(dp), func(tags map[string]string) bool {
				return tags[kuma.TagService] == b.ref.Name && kuma.HasAll(tags, b.ref.Tags)
			})
		})
	case rules.IsDestination(b.ref.Kind):
		return v.exists(p, b.ref) || byTag && v.tags[b.ref.Name]
	default: // by labels only
		return slices.ContainsFunc(v.byType[b.ref.Kind], func(r *kuma.Resource) bool { return kuma.HasAll(r.Labels, b.ref.Labels) })
	}
}

var ambiguousBackend = Code{
	Code: "ambiguous-backend", Severity: Error, Title: "`backendRef` that may match several services",
	Doc: "A `backendRef` by labels fits more than one service. The design of Kuma forbids that; a control plane stores it, and picks one of them.",
}

func findAmbiguousBackend(v *view) []Finding {
	var findings []Finding
	for _, p := range v.policies {
		for _, b := range backends(p) {
			targets := v.snapshot.Resolve(*p, withoutSection(b.ref), 0)
			if len(targets) < 2 {
				continue
			}
			var names []string
			for _, t := range targets {
				names = append(names, t.Resource.Name)
			}
			findings = append(findings, ambiguousBackend.at(p, b.path,
				fmt.Sprintf("%s fits %s: %s. A backendRef stands for one service, so which of them gets the traffic is left to the control plane.", kuma.Reference(b.ref), phrase.Count(len(names), "service", "services"), strings.Join(names, ", ")),
				"Add a label that only one of them has, such as kuma.io/display-name or kuma.io/zone, or refer to it by name."))
		}
	}
	return findings
}

// backend is a reference to where traffic or telemetry is sent.
type backend struct {
	ref  kuma.TargetRef
	port int // zero when it has none
	path tree.Path
}

func backendAt(n tree.Node) backend {
	port, _ := n.Get("port").Int()
	return backend{reference(n), int(port), n.Path}
}

// backends finds the references called backendRef and backendRefs, wherever a
// policy has them.
func backends(p *kuma.Resource) []backend {
	var found []backend
	add := func(n tree.Node) {
		if b := backendAt(n); b.ref.Kind != "" {
			found = append(found, b)
		}
	}
	var walk func(n tree.Node)
	walk = func(n tree.Node) {
		switch n.Key() {
		case "backendRef":
			add(n)
		case "backendRefs":
			for _, e := range n.Items() {
				add(e)
			}
		default:
			for _, c := range append(n.Entries(), n.Items()...) {
				walk(c)
			}
		}
	}
	walk(tree.Root(p.Body).Get("spec"))
	return found
}
