package rules

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// resolvedTarget is a target of an entry of `to`: a whole resource or one
// section.
type resolvedTarget struct {
	resource *kuma.Resource
	section  *section
}

// sectionID identifies the target of a resource rule: a resource, or with a
// name one section (port) of it. Resources with the same identity are the same.
type sectionID struct {
	resource kuma.ID
	name     string
}

// section represents a sectionID, so that sections are compared by address.
type section struct {
	sectionID
	whole *section // the resource itself
}

// index finds the resources of one mesh that a reference in `to` may refer to.
type index struct {
	matching *matching
	sections map[sectionID]*section
	byID     map[kuma.ID]*kuma.Resource // the first one in order of name
	byLabel  map[label][]*kuma.Resource // in order of name
	byName   map[label][]*kuma.Resource // by display name, as if all resources had the label
}

type label struct{ kind, key, value string }

func newIndex(by *matching, resources map[string][]*kuma.Resource) index {
	ix := index{
		matching: by,
		sections: map[sectionID]*section{},
		byID:     map[kuma.ID]*kuma.Resource{},
		byLabel:  map[label][]*kuma.Resource{},
		byName:   map[label][]*kuma.Resource{},
	}
	for _, kind := range slices.Concat(selectorKinds(), DestinationKinds()) {
		for _, r := range resources[kind] {
			named := label{kind, kuma.LabelDisplayName, r.DisplayName()}
			ix.byName[named] = append(ix.byName[named], r)
		}
	}
	for _, kind := range []string{
		kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshExternalService,
		kuma.KindMeshMultiZoneService, kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute,
	} {
		for _, r := range resources[kind] {
			if _, taken := ix.byID[r.ID()]; !taken {
				ix.byID[r.ID()] = r
			}
			for k, v := range r.Labels {
				l := label{kind, k, v}
				ix.byLabel[l] = append(ix.byLabel[l], r)
			}
		}
	}
	return ix
}

// resolve returns the targets of a reference in `to` of a policy, in order of
// name (matching.md §4.1).
func (ix index) resolve(policy *kuma.Resource, ref kuma.TargetRef) []resolvedTarget {
	var targets []resolvedTarget
	for r, section := range ix.find(policy, ref, 0) {
		targets = append(targets, resolvedTarget{r, ix.section(r.ID(), section)})
	}
	return targets
}

// find iterates over the resources that a reference refers to, with the section
// of each that it selects by name, or by number when that is not zero.
func (ix index) find(policy *kuma.Resource, ref kuma.TargetRef, port int) iter.Seq2[*kuma.Resource, string] {
	labels := ref.Labels
	if l, p, ok := ref.LegacyService(); ok {
		labels, port = l, cmp.Or(p, port)
	}
	return func(yield func(*kuma.Resource, string) bool) {
		for _, r := range ix.candidates(policy, ref, labels) {
			if section, ok := ix.matching.sections.find(r, ref.SectionName, port); ok && !yield(r, section) {
				return
			}
		}
	}
}

func (ix index) section(of kuma.ID, name string) *section {
	id := sectionID{of, name}
	s, ok := ix.sections[id]
	if !ok {
		s = &section{sectionID: id}
		ix.sections[id] = s
		s.whole = ix.section(of, "")
	}
	return s
}

func (ix index) candidates(policy *kuma.Resource, ref kuma.TargetRef, labels map[string]string) []*kuma.Resource {
	if len(labels) > 0 {
		return ix.labeled(ref.Kind, labels)
	}
	if r, ok := ix.byID[referencedID(policy, ref)]; ok {
		return []*kuma.Resource{r}
	}
	return nil
}

// backends returns the services that a reference in a route or in a Dataplane refers to,
// regardless of the port. Unlike one in `to`, it finds a resource by its display name even if
// it does not have the label (release3.md §4).
func (ix index) backends(from *kuma.Resource, ref kuma.TargetRef) []*kuma.Resource {
	name, ok := ref.Labels[kuma.LabelDisplayName]
	if !ix.matching.byLabels || !ok {
		var out []*kuma.Resource
		for r := range ix.find(from, ref.WithoutSection(), 0) {
			out = append(out, r)
		}
		return out
	}
	others := maps.Clone(ref.Labels)
	delete(others, kuma.LabelDisplayName)
	return slices.DeleteFunc(slices.Clone(ix.named(ref.Kind, name)),
		func(r *kuma.Resource) bool { return !kuma.HasAll(r.Labels, others) })
}

// named returns the resources of a kind with a display name: services, and what references select proxies by.
func (ix index) named(kind, name string) []*kuma.Resource {
	return ix.byName[label{kind, kuma.LabelDisplayName, name}]
}

// labeled iterates only over the resources that have the rarest of the labels.
func (ix index) labeled(kind string, labels map[string]string) []*kuma.Resource {
	var rarest []*kuma.Resource
	first := true
	for k, v := range labels {
		if with := ix.byLabel[label{kind, k, v}]; first || len(with) < len(rarest) {
			rarest, first = with, false
		}
	}
	return slices.DeleteFunc(slices.Clone(rarest), func(r *kuma.Resource) bool { return !kuma.HasAll(r.Labels, labels) })
}

// referencedID is the identity that a reference by name refers to: names are
// display names, and what the reference omits is taken from the policy.
func referencedID(policy *kuma.Resource, ref kuma.TargetRef) kuma.ID {
	if ref.Kind == kuma.KindMesh {
		return kuma.ID{Type: kuma.KindMesh, Name: policy.Mesh}
	}
	return kuma.ID{
		Type:      ref.Kind,
		Mesh:      policy.Mesh,
		Zone:      policy.Zone(),
		Namespace: cmp.Or(ref.Namespace, policy.Namespace()),
		Name:      ref.Name,
	}
}

// find returns the section of r with a name or a number, the empty one when
// neither is given; false when r does not have it.
func (s sectionSearch) find(r *kuma.Resource, name string, number int) (string, bool) {
	if !IsDestination(r.Type) || name == "" && number == 0 {
		return "", true
	}
	if s == sectionsAsWritten && name != "" {
		return name, true
	}
	ports := portsOf(r)
	i := slices.IndexFunc(ports, func(p ownPort) bool {
		return name != "" && s.names(p, name) || number != 0 && p.Number == number
	})
	switch {
	case s == sectionsAsWritten && (i < 0 || ports[i].unnamed):
		return "", true
	case i < 0:
		return "", false
	default:
		return ports[i].Section, true
	}
}

// names reports whether a sectionName selects a port.
func (s sectionSearch) names(p ownPort, name string) bool {
	if s == sectionsByNumber && p.unnamed {
		n, err := strconv.Atoi(name)
		return err == nil && n == p.Number
	}
	return p.Section == name
}

// IsDestination reports whether traffic is addressed to resources of a kind.
func IsDestination(kind string) bool { return slices.Contains(DestinationKinds(), kind) }

// DestinationKinds returns the kinds of resources that traffic is addressed to.
func DestinationKinds() []string {
	return []string{kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService}
}

// Sections returns the names by which references select the ports of a
// MeshService, MeshExternalService or MeshMultiZoneService, in its own order.
func Sections(r kuma.Resource) (names []string) {
	for _, p := range portsOf(&r) {
		names = append(names, p.Section)
	}
	return names
}

// ownPort is a port as a service has it.
type ownPort struct {
	Port
	unnamed bool // the name is the number, which a port can also be named
}

// portsOf returns the ports of a service, in its own order.
func portsOf(r *kuma.Resource) []ownPort {
	if r.Type == kuma.KindMeshExternalService {
		match := tree.Object(r.Spec()["match"])
		n := tree.Int(match["port"])
		return []ownPort{{Port{r.ID(), strconv.Itoa(n), n, protocolOf(match["protocol"])}, true}}
	}
	var ports []ownPort
	for _, v := range tree.List(r.Spec()["ports"]) {
		m := tree.Object(v)
		number := tree.Int(m["port"])
		name, named := m["name"].(string)
		unnamed := !named || name == "" && r.Type == kuma.KindMeshMultiZoneService
		if unnamed {
			name = strconv.Itoa(number)
		}
		ports = append(ports, ownPort{Port{r.ID(), name, number, protocolOf(m["appProtocol"])}, unnamed})
	}
	return ports
}

func protocolOf(v any) string { return strings.ToLower(cmp.Or(tree.Text(v), "tcp")) }
