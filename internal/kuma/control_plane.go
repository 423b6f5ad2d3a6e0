package kuma

// ControlPlane is what the labels and values of a stored document depend on.
type ControlPlane struct {
	Mode      string // "zone" or "global"
	Zone      string // name of the zone, when Mode is "zone"
	Federated bool   // a zone that belongs to a global control plane
	Embedded  bool   // that of the provider, which generates no resources from others

	Release Release // of Kuma; the zero value if the product has its own release numbers
}

// Modes of a control plane.
const (
	ModeZone   = "zone"
	ModeGlobal = "global"
)
