package kuma

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Types of the listeners of a Dataplane.
const (
	ListenerIngress = "ZoneIngress"
	ListenerEgress  = "ZoneEgress"
)

// Resource is one Kuma resource, as stored or as planned.
type Resource struct {
	Type   string
	Mesh   string // empty for kinds outside meshes
	Name   string
	Labels map[string]string

	// Body contains the fields next to the envelope: "spec" for newer kinds,
	// the fields themselves ("networking", "mtls", …) for older ones.
	Body map[string]any

	// Reported are the fields of a stored resource that a control plane
	// computes for each response: "status" and "snis". It is nil where there
	// are none.
	Reported map[string]any

	// Times are zero for resources that no control plane has stored yet.
	CreationTime, ModificationTime time.Time
}

// CompareCreation orders resources by creation; those that are not stored yet are last.
func CompareCreation(a, b *Resource) int {
	if a.CreationTime.IsZero() || b.CreationTime.IsZero() {
		return b.CreationTime.Compare(a.CreationTime)
	}
	return a.CreationTime.Compare(b.CreationTime)
}

// Labels that the control plane computes or that matching uses (matching.md
// §1.2, §1.3).
const (
	LabelMesh         = "kuma.io/mesh"
	LabelOrigin       = "kuma.io/origin"
	LabelZone         = "kuma.io/zone"
	LabelEnv          = "kuma.io/env"
	LabelDisplayName  = "kuma.io/display-name"
	LabelEffect       = "kuma.io/effect"
	LabelProxyReady   = "kuma.io/proxy-ready" // set by patches of 2.14 and dropped by 3.0 (stated)
	LabelProxyType    = "kuma.io/proxy-type"
	LabelPolicyRole   = "kuma.io/policy-role"
	LabelWorkload     = "kuma.io/workload"
	LabelZoneIngress  = "kuma.io/listener-zoneingress"
	LabelZoneEgress   = "kuma.io/listener-zoneegress"
	LabelManagedBy    = "kuma.io/managed-by"
	LabelGracePeriod  = "kuma.io/deletion-grace-period-started-at"
	LabelK8sNamespace = "k8s.kuma.io/namespace"
)

// TagService is the tag that names the service of an inbound.
const TagService = "kuma.io/service"

// IsHTTP reports whether proxies handle the requests to a port with a protocol, and not
// only its connections.
func IsHTTP(protocol string) bool { return slices.Contains(HTTPProtocols(), protocol) }

// HTTPProtocols returns the protocols for which [IsHTTP].
func HTTPProtocols() []string { return []string{"http", "http2", "grpc"} }

// TagProtocol is the tag that names the protocol of an inbound.
const TagProtocol = "kuma.io/protocol"

// Values of the label [LabelOrigin].
const (
	OriginZone   = "zone"
	OriginGlobal = "global"
)

// EffectShadow is the value of the label [LabelEffect] of a shadow policy.
const EffectShadow = "shadow"

// IsShadow reports whether a policy is a shadow policy, which has no effect.
func (r Resource) IsShadow() bool { return r.Labels[LabelEffect] == EffectShadow }

// Key identifies a resource on a control plane: the parts of its URL.
type Key struct{ Type, Mesh, Name string }

// MeshKey returns the key of a mesh.
func MeshKey(name string) Key { return Key{Type: KindMesh, Name: name} }

// Within reports whether k is the key of the mesh or of a resource in it.
func (k Key) Within(mesh string) bool { return k.Mesh == mesh && mesh != "" || k == MeshKey(mesh) }

// Key returns the key of r.
func (r Resource) Key() Key { return Key{r.Type, r.Mesh, r.Name} }

// CompareKeys orders resources by type, mesh and name.
func CompareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Mesh, b.Mesh), cmp.Compare(a.Name, b.Name))
}

// String describes the resource for messages: `MeshService "web" of mesh "default"`.
func (k Key) String() string {
	if k.Mesh == "" {
		return k.Local()
	}
	return fmt.Sprintf("%s of mesh %q", k.Local(), k.Mesh)
}

// Local describes the resource for messages about its mesh: `MeshService "web"`.
func (k Key) Local() string { return Describe(k.Type, k.Name, "") }

// Describe names a resource, or with a section one of its ports, among others of
// its mesh: `MeshService "web", port http`.
func Describe(kind, name, section string) string {
	if section == "" {
		return fmt.Sprintf("%s %q", kind, name)
	}
	return fmt.Sprintf("%s %q, port %s", kind, name, section)
}

// DisplayName returns the name that references, identifiers and tie-breaks use:
// the label kuma.io/display-name when it is set and not empty, else the name
// (matching.md §1.4).
func (r Resource) DisplayName() string {
	if n := r.Labels[LabelDisplayName]; n != "" {
		return n
	}
	return r.Name
}

// Zone returns the zone that the resource belongs to, empty when there is none.
func (r Resource) Zone() string { return r.Labels[LabelZone] }

// Namespace returns the Kubernetes namespace of the resource, empty on
// universal.
func (r Resource) Namespace() string { return r.Labels[LabelK8sNamespace] }

// Spec returns the body of a newer kind, nil when there is none.
func (r Resource) Spec() map[string]any {
	return tree.Object(r.Body["spec"])
}

// Clone returns a copy that shares nothing with r.
func (r Resource) Clone() Resource {
	r.Labels = maps.Clone(r.Labels)
	r.Body = tree.Object(tree.Clone(r.Body))
	r.Reported = tree.Object(tree.Clone(r.Reported))
	return r
}
