package kuma

// ControlPlane is what the labels and values of a stored document depend on.
type ControlPlane struct {
	Mode      string // "zone" or "global"
	Zone      string // name of the zone, when Mode is "zone"
	Federated bool   // a zone that belongs to a global control plane

	Release Release // of Kuma; the zero value where the product counts its releases by itself
}

// Modes of a control plane.
const (
	ModeZone   = "zone"
	ModeGlobal = "global"
)

// Owns reports whether a resource belongs to the control plane. What belongs to
// another one is synchronised, and can only be changed there.
func (cp ControlPlane) Owns(r Resource) bool {
	switch {
	case cp.Mode == ModeGlobal:
		return r.Labels[LabelOrigin] != OriginZone
	case !cp.Federated:
		return true
	default:
		return r.Labels[LabelOrigin] != OriginGlobal && (r.Zone() == "" || r.Zone() == cp.Zone)
	}
}
