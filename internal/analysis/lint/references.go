package lint

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// SelectsNoProxy is the code of the findings about policies that select no proxy.
const SelectsNoProxy = "selects-no-proxy"

// References returns the findings of [Mesh] about references of one policy to what does not
// exist, or to what its settings have no effect on. A shadow policy has none.
func References(s *rules.Snapshot, policy kuma.Key) []Finding {
	m := newMesh(s, policy.Mesh)
	m.policies = slices.DeleteFunc(m.policies, func(p *kuma.Resource) bool { return p.Key() != policy })
	var all []Finding
	for _, find := range []func(*mesh, func(Finding)){findDanglingTarget, findDanglingSection, findDanglingBackend, findSelectsNoProxy, findRouteEntryByTags, findTopLevelRoute, findWrongProtocol} {
		find(m, func(f Finding) { all = append(all, f) })
	}
	return all
}

// IsDangling reports whether the finding is about a reference to what does not exist.
func (f Finding) IsDangling() bool {
	return slices.ContainsFunc([]Code{danglingTarget, danglingSection, danglingBackend}, func(c Code) bool { return c.Code == f.Code })
}

// Title returns the title of the code of the finding.
func (f Finding) Title() string {
	codes := Codes()
	return codes[slices.IndexFunc(codes, func(c Code) bool { return c.Code == f.Code })].Title
}
