package def

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ServerKey is a key of a map that a control plane sets by itself.
type ServerKey struct {
	Name string
	// Value returns what the control plane stores under the key, empty when it
	// does not set the key.
	Value func(cp kuma.ControlPlane) string
}

// ValidateControlPlane returns the conflicts of a document with the control
// plane that it is written to, sorted by path: labels that it rejects, and
// values that it overwrites. Values may be [tree.Unknown].
func (k Kind) ValidateControlPlane(doc map[string]any, cp kuma.ControlPlane) []Problem {
	problems := k.ValidateLabels(doc, cp)
	Walk(k.Root(), tree.Root(doc), func(p Place) bool {
		if !p.Element {
			for _, key := range p.Field.ServerKeys {
				problems = append(problems, key.overwrites(p.Node, cp)...)
			}
		}
		return true
	})
	Sort(problems)
	return problems
}

// ValidateLabels returns the labels that the control plane that a document is
// written to rejects (rest-api.md §8). A zone of a global control plane also
// rejects some documents without an origin, which clients add.
func (k Kind) ValidateLabels(doc map[string]any, cp kuma.ControlPlane) []Problem {
	root := tree.Root(doc)
	labels := root.Get("labels")
	originLabel := labels.Get(kuma.LabelOrigin)
	origin, hasOrigin := originLabel.Text()
	var problems []Problem
	refuse := func(n tree.Node, summary, detail string) {
		p := ErrorAt(n, summary, detail)
		p.Stage = Envelope
		problems = append(problems, p)
	}
	switch {
	case cp.Mode == kuma.ModeGlobal && origin == kuma.OriginZone:
		refuse(originLabel, "Origin must be global",
			fmt.Sprintf("The origin is %q, but a global control plane accepts only resources with the origin \"global\". "+
				"Remove the label, or configure the provider with the endpoint of the zone control plane.", origin))
	case cp.Federated && !k.Proto() && hasOrigin && origin != kuma.OriginZone:
		refuse(originLabel, "Origin must be zone",
			fmt.Sprintf("The origin is %q, but a zone control plane that is connected to a global one accepts only %q. "+
				"Remove the label, or configure the provider with the endpoint of the global control plane.", origin, kuma.OriginZone))
	}
	if cp.Release.Kuma3() && !originLabel.Unknown() {
		reported := len(problems) > 0
		problems = append(problems, slices.DeleteFunc(k.reservedLabels(doc, cp), func(p Problem) bool {
			return reported && tree.ComparePaths(p.Path, originLabel.Path) == 0
		})...)
	}
	if cp.Mode == kuma.ModeGlobal || originLabel.Unknown() || origin == kuma.OriginGlobal {
		return problems // a copy of a resource that another control plane owns
	}
	if n := labels.Get(kuma.LabelZone); cp.Zone != "" {
		if zone, ok := n.Text(); ok && zone != cp.Zone {
			refuse(n, "Label names another zone",
				fmt.Sprintf("The label is set to %q, but the zone of the control plane is %q. "+
					"Remove the label, which the control plane sets, or change it to %q.", zone, cp.Zone, cp.Zone))
		}
	}
	if n, of := labels.Get(kuma.LabelMesh), root.Get("mesh"); !of.Unknown() {
		own, _ := of.Text()
		if name, ok := n.Text(); ok && name != own {
			refuse(n, "Label names another mesh",
				fmt.Sprintf("The label is set to %q, but the mesh of the resource is %q. Remove the label, which the control plane sets.", name, own))
		}
	}
	return problems
}

func (key ServerKey) overwrites(m tree.Node, cp kuma.ControlPlane) []Problem {
	n, want := m.Get(key.Name), key.Value(cp)
	got, ok := n.Text()
	return ErrorIf(ok && want != "" && got != want, n, "The control plane overwrites "+key.Name,
		"The control plane stores %q instead of %q, so the next plan would not be empty. Set it to %q, or omit %s.", want, got, want, key.Name)
}

// SetsKey reports whether the control plane sets a key of the map by itself.
func (f Field) SetsKey(name string) bool {
	return slices.ContainsFunc(f.ServerKeys, func(key ServerKey) bool { return key.Name == name })
}

// Synced reports whether a control plane only has a copy of a stored resource, which
// belongs to another one and can only be changed there (rest-api.md §18).
func (k Kind) Synced(r kuma.Resource, cp kuma.ControlPlane) bool {
	origin := r.Labels[kuma.LabelOrigin]
	if cp.Federated {
		described := k.Doc != ""
		return origin == kuma.OriginGlobal || described && !k.ZoneOwned.Contain(cp.Release)
	}
	return cp.Mode == kuma.ModeGlobal && origin == kuma.OriginZone
}
