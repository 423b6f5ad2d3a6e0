package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Names of the lists of clients of a rule, and of the action of a `from` entry.
const (
	denyList, allowList, shadowDenyList = "deny", "allow", "allowWithShadowDeny"
	actionField, denyAction             = "action", "Deny"
)

// identity is a MeshIdentity that issues certificates to proxies.
type identity struct {
	key         kuma.Key
	scope       scope
	labels      map[string]string // that it requires
	trustDomain string            // a template
}

// readIdentities returns the MeshIdentities that have an effect: those with a
// provider and a selector, in a mesh in mode Exclusive (matching.md §7.5).
func (m *mesh) readIdentities() []identity {
	if !m.exclusive {
		return nil
	}
	var out []identity
	for _, r := range m.resources[kinds.MeshIdentity.Name] {
		spec := tree.Root(r.Spec())
		labels := spec.Get("selector", "dataplane", "matchLabels")
		if spec.Get("provider").Filled() && labels.Known() {
			trustDomain, _ := spec.Get("spiffeID", "trustDomain").Text()
			out = append(out, identity{r.Key(), scopeOf(r), tree.StringMap(labels.Value()), trustDomain})
		}
	}
	return out
}

// identitiesOf returns the MeshIdentities that select a dataplane.
func (m *mesh) identitiesOf(dp *proxy) []kuma.Key {
	var out []kuma.Key
	for _, i := range m.identities {
		if dp.scope.sharesZone(i.scope) && kuma.HasAll(dp.Labels, i.labels) {
			out = append(out, i.key)
		}
	}
	return out
}

// Identities returns the MeshIdentities that give a dataplane its certificate: none
// if it is unknown.
func (s *Snapshot) Identities(meshName, dataplane string) []kuma.Key {
	_, dp, err := s.find(meshName, dataplane)
	if err != nil {
		return nil
	}
	return slices.Clone(dp.identities)
}

// access returns which clients may connect to an inbound.
func (m matchedPolicies) access(in Incoming) Access {
	dp := m.proxy
	switch {
	case !dp.mesh.mutualTLS && len(dp.identities) == 0:
		return AccessUnchecked
	case len(in.Rules) > 0 && len(in.From) > 0:
		return AccessSome // the order of the two is not known
	case len(in.Rules) > 0:
		return dp.mesh.accessByRules(tree.Object(in.Rules[0].Merge()))
	default:
		return accessByFrom(in.From)
	}
}

// accessByRules evaluates the lists of clients. The certificates of the mesh
// contain several names, so that no exact SPIFFE ID matches them.
func (m *mesh) accessByRules(conf map[string]any) Access {
	deny := tree.List(conf[denyList])
	allow := slices.DeleteFunc(slices.Concat(tree.List(conf[allowList]), tree.List(conf[shadowDenyList])), func(client any) bool {
		id := tree.Object(tree.Object(client)["spiffeID"])
		exact := id != nil && tree.Text(id["type"]) != "Prefix"
		return exact && len(m.identities) == 0 || slices.ContainsFunc(deny, func(denied any) bool { return covers(denied, client) })
	})
	switch {
	case len(allow) == 0:
		return AccessNone
	case len(deny) == 0 && m.admitsAll(allow):
		return AccessAll
	default:
		return AccessSome
	}
}

// admitsAll reports whether a list of clients covers all SPIFFE IDs of the
// trust domains of the mesh.
func (m *mesh) admitsAll(clients []any) bool {
	domains := make([]string, 0, len(m.identities)+1)
	if m.mutualTLS {
		domains = append(domains, m.name)
	}
	for _, i := range m.identities {
		domains = append(domains, i.trustDomain)
	}
	return !slices.ContainsFunc(domains, func(domain string) bool {
		all := map[string]any{"spiffeID": map[string]any{"type": "Prefix", "value": "spiffe://" + domain}}
		return !slices.ContainsFunc(clients, func(client any) bool { return covers(client, all) })
	})
}

// accessByFrom evaluates the rules by tags, of which the last one is for clients
// with any tags.
func accessByFrom(rules []Rule) Access {
	var allowed, denied bool
	for _, r := range rules {
		if tree.Text(tree.Object(r.Merge())[actionField]) == denyAction {
			denied = true
		} else {
			allowed = true
		}
	}
	others := len(rules) > 0 && len(rules[len(rules)-1].Matchers) == 0
	switch {
	case !allowed:
		return AccessNone
	case others && !denied:
		return AccessAll
	default:
		return AccessSome
	}
}
