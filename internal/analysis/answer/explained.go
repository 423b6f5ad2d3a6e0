package answer

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
)

// Explained are proxies with the same rules, and what these are as text.
type Explained struct {
	Dataplanes  []string
	Explanation string
}

// Explain explains the rules of all proxies of a mesh, once for equal ones.
func Explain(m input.Mesh) ([]Explained, error) {
	s, _ := m.Snapshot()
	groups, err := digest.Groups(s, m.Name, s.Dataplanes(m.Name))
	if err != nil {
		return nil, err
	}
	out := make([]Explained, len(groups))
	for i, g := range groups {
		a, err := s.Dataplane(m.Name, g.Dataplanes[0])
		if err != nil {
			return nil, err
		}
		found, err := ofRules(m, s, "", a, RulesQuestion{Dataplane: g.Dataplanes[0]}, nil)
		if err != nil {
			return nil, err
		}
		out[i] = Explained{g.Dataplanes, found.Explanation}
	}
	return out, nil
}
