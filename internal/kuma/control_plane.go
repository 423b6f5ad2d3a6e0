package kuma

// ControlPlane is what the labels and values of a stored document depend on.
type ControlPlane struct {
	Mode      string // "zone" or "global"
	Zone      string // name of the zone, when Mode is "zone"
	Federated bool   // a zone that belongs to a global control plane
	Embedded  bool   // that of the provider, which generates no resources from others

	// Kubernetes is true if it stores resources in Kubernetes: nothing can be written through
	// its API, and it generates MeshServices from the Services of Kubernetes.
	Kubernetes bool

	Release Release // of Kuma; the zero value if the product has its own release numbers

	// InboundTagsDisabled is the setting experimental.inboundTagsDisabled of 2.14: MeshServices are generated as by Kuma 3.0.
	InboundTagsDisabled bool

	// RestrictOutbound is the setting defaults.restrictOutbound: "true", "false", or empty if
	// it is not set.
	RestrictOutbound string
}

// RestrictsOutbound reports whether a proxy reaches only the services that its Dataplane
// lists. Kuma 3.0 restricts unless the setting says otherwise (release3.md §6).
func (c ControlPlane) RestrictsOutbound() bool {
	return c.RestrictOutbound == "true" || c.RestrictOutbound == "" && c.Release.Kuma3()
}

// ServesWorkloads reports whether a MeshService is generated for each workload, instead of each value of kuma.io/service.
func (c ControlPlane) ServesWorkloads() bool { return c.InboundTagsDisabled || c.Release.Kuma3() }

// Modes of a control plane.
const (
	ModeZone   = "zone"
	ModeGlobal = "global"
)
