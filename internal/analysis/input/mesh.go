package input

import (
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Mesh is a mesh as a control plane stores it, a few seconds after the last write.
type Mesh struct {
	Name         string
	ControlPlane kuma.ControlPlane // that stores the resources
	Release      kuma.Release      // as which they are read
	Note         string            // what must be said about the release; empty for nothing
	Before       []kuma.Resource   // without the planned ones
	Resources    []kuma.Resource
	WithShadow   bool       // shadow policies are read as if they were in effect
	Planned      []kuma.Key // of the resources that are not written yet
	Warnings     []string   // about the documents, as sentences
}

// InZones returns the mesh of a global control plane as its zones have it, whose proxies resolve references. The Mesh keeps its labels:
// those of a copy would mean that only the Dataplanes of one zone are known.
func (m Mesh) InZones() Mesh {
	if m.ControlPlane.Mode != kuma.ModeGlobal {
		return m
	}
	for _, list := range []*[]kuma.Resource{&m.Before, &m.Resources} {
		*list = slices.Clone(*list)
		for i, r := range *list {
			if r.Type != kuma.KindMesh {
				(*list)[i] = def.InZones(r, m.ControlPlane)
			}
		}
	}
	return m
}

// Stored returns the mesh that a control plane stores, after planned resources have been written.
// Those before the first write of a run are the same as those that are stored now if they are nil.
func Stored(name string, cp kuma.ControlPlane, before, now, planned []kuma.Resource) Mesh {
	m := Mesh{Name: name, ControlPlane: cp, Release: cp.Release}
	if cp.Embedded {
		now = withGenerators(now)
	}
	for _, r := range planned {
		m.Planned = append(m.Planned, r.Key())
	}
	m.Resources = settled(withWritten(now, planned, cp), cp)
	switch {
	case before != nil && cp.Embedded:
		m.Before = settled(withGenerators(before), cp)
	case before != nil:
		m.Before = settled(before, cp)
	case len(planned) > 0:
		m.Before = settled(now, cp)
	default:
		m.Before = slices.Clone(m.Resources)
	}
	return m
}

// Snapshot prepares the resources for matching, as the release reads them, with what must be
// said about that.
func (m Mesh) Snapshot() (s *rules.Snapshot, caveat string) {
	resources, caveat := asReadBy(m.Resources, m.ControlPlane, m.Release)
	if m.WithShadow {
		resources = inEffect(resources)
	}
	reader := m.ControlPlane
	reader.Release = m.Release
	s = rules.NewSnapshotOfProxies(m.Release, resources).RestrictOutbound(reader.RestrictsOutbound())
	return s, strings.TrimSpace(caveat + " " + m.Note)
}

// AsStored returns the same mesh as the release reads it that stores it.
func (m Mesh) AsStored() Mesh {
	m.Release = m.ControlPlane.Release
	return m
}

// BeforeChange returns the mesh as it is stored, without the planned resources and without defaults
// that the release after the change does not have.
func (m Mesh) BeforeChange() Mesh {
	after := m.Release
	m = m.AsStored()
	m.Resources, m.WithShadow = m.Before, false
	if after != m.Release {
		m.Resources = withoutDefaults(m.Resources, after)
	}
	return m
}

// Exists reports whether the mesh exists.
func (m Mesh) Exists() bool {
	return slices.ContainsFunc(m.Resources, func(r kuma.Resource) bool { return r.Key() == kuma.MeshKey(m.Name) })
}

// inEffect returns resources as if shadow policies were in effect.
func inEffect(resources []kuma.Resource) []kuma.Resource {
	out := slices.Clone(resources)
	for i, r := range out {
		if r.IsShadow() {
			out[i].Labels = maps.Clone(r.Labels)
			delete(out[i].Labels, kuma.LabelEffect)
		}
	}
	return out
}
