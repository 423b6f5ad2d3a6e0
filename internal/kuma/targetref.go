package kuma

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TargetRef is a reference to proxies or to destinations. An empty string and
// an absent field are equivalent; nil maps are absent, which matters for
// labels.
type TargetRef struct {
	Kind        string
	Name        string
	Namespace   string
	SectionName string
	Labels      map[string]string
	Tags        map[string]string
	ProxyTypes  []string
}

// Kinds that references name.
const (
	KindMesh                 = "Mesh"
	KindDataplane            = "Dataplane"
	KindMeshSubset           = "MeshSubset"
	KindMeshGateway          = "MeshGateway"
	KindMeshService          = "MeshService"
	KindMeshServiceSubset    = "MeshServiceSubset"
	KindMeshExternalService  = "MeshExternalService"
	KindMeshMultiZoneService = "MeshMultiZoneService"
	KindMeshHTTPRoute        = "MeshHTTPRoute"
	KindMeshTCPRoute         = "MeshTCPRoute"
)

// ParseTargetRef reads a reference from a decoded document. Fields of a wrong
// type count as absent: documents are validated elsewhere.
func ParseTargetRef(v any) TargetRef {
	m := tree.Object(v)
	return TargetRef{
		Kind:        tree.Text(m["kind"]),
		Name:        tree.Text(m["name"]),
		Namespace:   tree.Text(m["namespace"]),
		SectionName: tree.Text(m["sectionName"]),
		Labels:      tree.StringMap(m["labels"]),
		Tags:        tree.StringMap(m["tags"]),
		ProxyTypes:  tree.Strings(m["proxyTypes"]),
	}
}

// WithoutSection returns the reference to the whole target of ref.
func (ref TargetRef) WithoutSection() TargetRef {
	ref.SectionName = ""
	return ref
}

// String describes the target of the reference: `MeshService "web" with section
// http`.
func (ref TargetRef) String() string {
	var b strings.Builder
	b.WriteString(ref.Kind)
	if ref.Kind == "" {
		b.WriteString(KindMesh)
	}
	if ref.Name != "" {
		fmt.Fprintf(&b, " %q", ref.Name)
	}
	with := " with "
	for _, part := range []struct{ text, value string }{
		{"namespace", ref.Namespace},
		{"labels", phrase.Pairs(ref.Labels)},
		{"tags", phrase.Pairs(ref.Tags)},
		{"section", ref.SectionName},
		{"proxy types", strings.Join(ref.ProxyTypes, ", ")},
	} {
		if part.value != "" {
			b.WriteString(with + part.text + " " + part.value)
			with = " and "
		}
	}
	return b.String()
}

// TopRef returns the top-level reference of a policy, which selects proxies: the
// zero reference when there is none.
func (r Resource) TopRef() TargetRef { return ParseTargetRef(r.Spec()["targetRef"]) }

// ToRefs returns the references of the elements of `to` of a policy, in their
// order: the zero reference where an element has none.
func (r Resource) ToRefs() []TargetRef {
	to := tree.List(r.Spec()["to"])
	refs := make([]TargetRef, len(to))
	for i, e := range to {
		refs[i] = ParseTargetRef(tree.Object(e)["targetRef"])
	}
	return refs
}

// HasAll reports whether labels or tags contain all wanted ones, with the same
// values.
func HasAll(have, want map[string]string) bool {
	for k, v := range want {
		if value, ok := have[k]; !ok || value != v {
			return false
		}
	}
	return true
}

// LegacyService parses the value of the tag kuma.io/service of a service on
// Kubernetes, <name>_<namespace>_svc_<port> or without a port, into labels of
// the MeshService and a port, 0 for none; false when r is not such a reference.
func (r TargetRef) LegacyService() (labels map[string]string, port int, ok bool) {
	const withoutPort, withPort = 3, 4
	if r.Kind != KindMeshService || r.SectionName != "" {
		return nil, 0, false
	}
	parts := strings.Split(r.Name, "_")
	switch len(parts) {
	case withoutPort:
	case withPort:
		var err error
		if port, err = strconv.Atoi(parts[withPort-1]); err != nil {
			return nil, 0, false
		}
	default:
		return nil, 0, false
	}
	return map[string]string{LabelDisplayName: parts[0], LabelK8sNamespace: parts[1]}, port, true
}
