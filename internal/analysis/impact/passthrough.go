package impact

import (
	"cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// outside returns the change of whether a transparent proxy lets traffic through to everything outside the mesh. It returns nil if
// that does not change, or if a MeshPassthrough sets both.
func (r *reachability) outside(dataplane string) *Change {
	var modes [2]string
	bySetting := true
	for i, s := range []*snapshot{r.before, r.after} {
		if !kinds.IsRedirected(*s.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: s.mesh, Name: dataplane})) {
			return nil
		}
		mode := s.passthroughMode(dataplane)
		bySetting = bySetting && mode != ""
		modes[i] = cmp.Or(mode, s.defaultPassthrough())
	}
	if bySetting || modes[0] == modes[1] || modes[1] == passesMatched {
		return nil
	}
	was, is := notReachable, reachable
	if modes[1] == passesNone {
		was, is = is, was
	}
	c := r.change(section{}, ReachablePath, was, is)
	c.Destination, c.about = Outside, "destinations outside the mesh"
	return c
}

const passthroughMode = "passthroughMode" // in the conf of a MeshPassthrough

// Values of passthroughMode.
const passesAll, passesNone, passesMatched = "All", "None", "Matched"

// defaultPassthrough returns the mode of proxies that no MeshPassthrough selects (release3.md §6).
func (s *snapshot) defaultPassthrough() string {
	if s.RestrictsOutbound() ||
		tree.Root(s.Resource(kuma.MeshKey(s.mesh)).Body).Get("networking", "outbound", "passthrough").Value() == false {
		return passesNone
	}
	return passesAll
}

// passthroughMode returns the mode that MeshPassthroughs set for a proxy; empty if none applies. Without matches, the mode Matched is
// None (`_config` of 2.14.3 and the preview of 3.0).
func (s *snapshot) passthroughMode(dataplane string) string {
	return s.modes.get(s.Match(s.mesh, dataplane, kinds.MeshPassthrough.Name), func() string {
		found, _ := s.Rules(s.mesh, dataplane, kinds.MeshPassthrough.Name) // without peers, of which there can be too many
		if found.ProxyRule == nil {
			return ""
		}
		mode, _ := tree.Root(found.ProxyRule.Conf).Get(passthroughMode).Text()
		if cmp.Or(mode, passesMatched) == passesMatched && tree.Root(found.ProxyRule.Conf).Get("appendMatch").Empty() {
			return passesNone
		}
		return cmp.Or(mode, passesMatched)
	})
}
