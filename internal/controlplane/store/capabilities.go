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

// Capabilities describes what a control plane supports. The zero value
// represents an unknown control plane, and supports everything.
type Capabilities struct {
	// ControlPlane is what the labels and values of stored documents depend on.
	ControlPlane kuma.ControlPlane

	// Installation is the identifier of the control plane; empty if it has none.
	Installation string

	kinds    map[string]controlplane.ListedKind // by name
	readOnly bool
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
		Installation: info.Installation,
		kinds:        map[string]controlplane.ListedKind{},
		readOnly:     info.ReadOnly,
	}
	for _, k := range listed {
		c.kinds[k.Name] = k
	}
	return c, nil
}

// CheckWritable returns a [ReadOnlyError] if the control plane does not accept any
// changes.
func (c Capabilities) CheckWritable() error {
	if c.readOnly || c.ControlPlane.Kubernetes {
		return &ReadOnlyError{Kubernetes: c.ControlPlane.Kubernetes}
	}
	return nil
}

// CheckOwned returns a [SyncedError] for a stored resource of kind k that is only
// a copy on this control plane (rest-api.md §18).
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

// Find returns the named kind: as package kinds describes it, or else as the
// control plane lists it, without fields other than those of private keys. It returns a
// kind that the release removed, too, but reports false.
func (c Capabilities) Find(name string) (def.Kind, bool) {
	listed, isListed := c.kinds[name]
	k, described := kinds.Find(name)
	if !described {
		if i := slices.IndexFunc(kinds.Older(), func(k def.Kind) bool { return k.Name == name }); !isListed && i >= 0 {
			return kinds.Older()[i], false
		}
		return kinds.WithPrivateFields(listed.Kind), isListed
	}
	return c.served(k), true
}

// served returns a kind with the path at which the control plane serves it: some paths differ
// between releases (rest-api.md §20).
func (c Capabilities) served(k def.Kind) def.Kind {
	if listed, ok := c.kinds[k.Name]; ok {
		k.Path = listed.Path
	}
	return k
}

// KindNames lists the kinds that [Capabilities.Find] finds.
func (c Capabilities) KindNames() []string {
	all := phrase.Each(kinds.All(), func(k def.Kind) string { return k.Name })
	all = slices.AppendSeq(all, maps.Keys(c.kinds))
	slices.Sort(all)
	return slices.Compact(all)
}

// Manageable returns the kinds whose resources clients may write, sorted by name. The zone of a
// global control plane lists all kinds as read-only, and accepts writes of those that it owns
// (rest-api.md §18): there, all kinds that users write are among them, with those of the global one.
func (c Capabilities) Manageable() []def.Kind {
	var out []def.Kind
	for _, name := range slices.Sorted(maps.Keys(c.kinds)) {
		k, described := c.Find(name)
		if _, older := kinds.FindOlder(name); !c.kinds[name].ReadOnly || c.ControlPlane.Federated && (described && Described(k) || older) {
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

// Problems returns the reasons why this control plane does not accept a document:
// a kind that it does not support or does not own, fields and values of later
// releases, and labels and values of another zone.
func (c Capabilities) Problems(k def.Kind, doc map[string]any) []def.Problem {
	problem := func(summary, detail string) []def.Problem {
		return []def.Problem{def.ErrorAt(tree.Root(doc), summary, detail)}
	}
	if !c.Has(k) {
		detail := fmt.Sprintf("The control plane does not support the kind %s.", k.Name)
		switch {
		case k.Removed.AppliesTo(c.ControlPlane.Release):
			return k.ValidateRelease(doc, c.ControlPlane.Release)
		case !Described(k):
			detail = fmt.Sprintf("Neither the control plane nor this version of the provider supports the kind %q.%s", k.Name,
				phrase.Suggest(k.Name, c.KindNames()))
		case k.Since != "":
			detail += fmt.Sprintf(" Kuma supports it since %s. Upgrade the control plane, or remove the resource.", k.Since)
		}
		return problem("Unsupported kind "+k.Name, detail)
	}
	if !Described(k) {
		return nil
	}
	switch {
	case c.ControlPlane.Mode == kuma.ModeGlobal && !k.GlobalOwned:
		return problem("Wrong control plane for "+k.Name,
			fmt.Sprintf("A %s can only be managed on a zone control plane, and this is the global one. "+
				"Set endpoint in the provider block to the control plane of the zone.", k.Name))
	case c.ControlPlane.Federated && !k.ZoneOwned.Contain(c.ControlPlane.Release):
		return problem("Wrong control plane for "+k.Name,
			fmt.Sprintf("A %s can only be managed on the global control plane, and this is the control plane of a zone. "+
				"Set endpoint in the provider block to the global control plane.", k.Name))
	}
	return append(k.ValidateRelease(doc, c.ControlPlane.Release), k.ValidateControlPlane(doc, c.ControlPlane)...)
}
