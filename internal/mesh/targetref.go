package mesh

// TargetRef is a reference to proxies or to destinations. Empty text and an
// absent member are the same; nil maps are absent, which matters for labels.
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

// ParseTargetRef reads a reference from a decoded document. Members of a wrong
// type count as absent: documents are checked elsewhere.
func ParseTargetRef(v any) TargetRef {
	m, _ := v.(map[string]any)
	return TargetRef{
		Kind:        text(m["kind"]),
		Name:        text(m["name"]),
		Namespace:   text(m["namespace"]),
		SectionName: text(m["sectionName"]),
		Labels:      StringMap(m["labels"]),
		Tags:        StringMap(m["tags"]),
		ProxyTypes:  stringList(m["proxyTypes"]),
	}
}

// ToRefs returns the references of the elements of `to` of a policy, in their
// order: the zero reference where an element has none.
func (r Resource) ToRefs() []TargetRef {
	to, _ := r.Spec()["to"].([]any)
	refs := make([]TargetRef, len(to))
	for i, e := range to {
		entry, _ := e.(map[string]any)
		refs[i] = ParseTargetRef(entry["targetRef"])
	}
	return refs
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// StringMap reads an object of texts; nil when v is not an object. Values that
// are not texts are left out.
func StringMap(v any) map[string]string {
	m, ok := v.(map[string]any)
	if !ok || m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, e := range m {
		if s, ok := e.(string); ok {
			out[k] = s
		}
	}
	return out
}

// HasAll reports whether labels or tags contain all that are wanted, exactly.
func HasAll(have, want map[string]string) bool {
	for k, v := range want {
		if value, ok := have[k]; !ok || value != v {
			return false
		}
	}
	return true
}

func stringList(v any) []string {
	l, _ := v.([]any)
	var out []string
	for _, e := range l {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
