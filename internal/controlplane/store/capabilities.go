package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Capabilities is what a control plane can do. The zero value stands for one that
// nobody has asked, and which can do everything.
type Capabilities struct {
	// ControlPlane is what the labels and values of stored documents depend on.
	ControlPlane kuma.ControlPlane

	kinds      map[string]controlplane.ListedKind // by name
	readOnly   bool
	kubernetes bool
}

func discover(ctx context.Context, client *controlplane.Client) (Capabilities, error) {
	info, err := client.Discover(ctx)
	if err != nil {
		return Capabilities{}, err
	}
	listed, err := client.Kinds(ctx)
	if err != nil {
		return Capabilities{}, err
	}
	c := Capabilities{
		ControlPlane: info.ControlPlane,
		kinds:        map[string]controlplane.ListedKind{},
		readOnly:     info.ReadOnly,
		kubernetes:   info.Environment == controlplane.EnvironmentKubernetes,
	}
	for _, k := range listed {
		c.kinds[k.Name] = k
	}
	return c, nil
}

// CheckWritable returns a [ReadOnlyError] where the control plane takes no changes
// at all.
func (c Capabilities) CheckWritable() error {
	if c.readOnly || c.kubernetes {
		return &ReadOnlyError{Kubernetes: c.kubernetes}
	}
	return nil
}

// CheckOwned returns a [SyncedError] for a stored resource of kind k that this
// control plane only has a copy of (rest-api.md §18).
func (c Capabilities) CheckOwned(k def.Kind, stored kuma.Resource) error {
	switch {
	case !k.Synced(stored, c.ControlPlane):
		return nil
	case c.ControlPlane.Federated:
		return &SyncedError{Key: stored.Key()}
	default:
		return &SyncedError{Key: stored.Key(), Zone: stored.Zone()}
	}
}

// Has reports whether the control plane lists the kind.
func (c Capabilities) Has(k def.Kind) bool {
	_, ok := c.kinds[k.Name]
	return ok || c.kinds == nil
}

// Find returns the kind called name: as package kinds describes it, or else as
// the control plane lists it, without fields.
func (c Capabilities) Find(name string) (def.Kind, bool) {
	listed, isListed := c.kinds[name]
	k, described := kinds.Find(name)
	if !described {
		return listed.Kind, isListed
	}
	if isListed {
		k.Path = listed.Path // some have moved
	}
	return k, true
}

// KindNames lists the kinds that [Capabilities.Find] finds.
func (c Capabilities) KindNames() []string {
	all := map[string]bool{}
	for name := range c.kinds {
		all[name] = true
	}
	for _, k := range kinds.All() {
		all[k.Name] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// Manageable returns the kinds of which the control plane lets clients write
// resources, in order of name.
func (c Capabilities) Manageable() []def.Kind {
	var out []def.Kind
	for _, name := range slices.Sorted(maps.Keys(c.kinds)) {
		if !c.kinds[name].ReadOnly {
			k, _ := c.Find(name)
			out = append(out, k)
		}
	}
	return out
}

// Described reports whether package kinds knows more about a kind than the
// control plane lists.
func Described(k def.Kind) bool {
	_, ok := kinds.Find(k.Name)
	return ok
}

// Problems returns what this control plane cannot do of a document that is to be
// written: kinds that it does not have or may not write, members and values of
// later releases, and labels and values that are not those of its zone.
func (c Capabilities) Problems(k def.Kind, doc map[string]any) []def.Problem {
	problem := func(summary, detail string) []def.Problem {
		return []def.Problem{def.ErrorAt(tree.Root(doc), summary, detail)}
	}
	if !c.Has(k) {
		detail := "It does not list the kind."
		switch {
		case !Described(k):
			detail += " Neither does this provider know it." + phrase.Suggest(k.Name, c.KindNames())
		case k.Since != "":
			detail += fmt.Sprintf(" Kuma has it since %s. Update the control plane, or remove the resource.", k.Since)
		}
		return problem("The control plane has no "+k.Name, detail)
	}
	if !Described(k) {
		return nil
	}
	switch {
	case c.ControlPlane.Mode == kuma.ModeGlobal && !k.GlobalOwned:
		return problem("Only zones write a "+k.Name, "The control plane is a global one, which takes this kind from its zones. Configure the provider with the endpoint of the zone.")
	case c.ControlPlane.Federated && !k.ZoneOwned:
		return problem("Only the global writes a "+k.Name, "The control plane is that of a zone, which takes this kind from the global one. Configure the provider with the endpoint of the global control plane.")
	}
	return append(k.ValidateRelease(doc, c.ControlPlane.Release), k.ValidateControlPlane(doc, c.ControlPlane)...)
}
