package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Names of the lists of clients of a rule of permissions.
const (
	DenyList       = "deny"
	AllowList      = "allow"
	ShadowDenyList = "allowWithShadowDeny"
)

// Actions of an entry of `from` of permissions.
const (
	ActionDeny       = "Deny"
	ActionShadowDeny = "AllowWithShadowDeny"
)

// identity is a MeshIdentity that selects proxies.
type identity struct {
	key         kuma.Key
	scope       scope
	labels      map[string]string // that it requires
	trustDomain string            // a template
	problem     string            // why it issues no certificates; empty if it does
	broken      bool              // its proxies get no configuration instead
}

// isReady reports whether the control plane considers the MeshIdentity ready.
func (i identity) isReady() bool { return i.problem == "" || i.broken }

// readIdentities returns the MeshIdentities that can select proxies: those with a selector, in a mesh in mode Exclusive
// (matching.md §7.5).
func (m *mesh) readIdentities() []identity {
	if !m.exclusive {
		return nil
	}
	var out []identity
	for _, r := range m.resources[kinds.MeshIdentity.Name] {
		spec := tree.Root(r.Spec())
		if selector := spec.Get("selector", "dataplane"); selector.Known() {
			trustDomain, _ := spec.Get("spiffeID", "trustDomain").Text()
			labels := tree.StringMap(selector.Get("matchLabels").Value())
			problem := kinds.IdentityProblem(*r, m.matching.release)
			broken := problem == kinds.OtherKey && !m.matching.release.Kuma3()
			out = append(out, identity{r.Key(), scopeOf(r), labels, trustDomain, problem, broken})
		}
	}
	return out
}

// identityOf returns the MeshIdentity of a dataplane, if any: of several, the one that requires the most labels, then the first
// by name, whether or not it issues certificates (matching.md §7.5).
func (m *mesh) identityOf(dp *proxy) (best identity) {
	for _, i := range m.identities {
		if dp.scope.sharesZone(i.scope) && kuma.HasAll(dp.Labels, i.labels) && (best.key == (kuma.Key{}) ||
			cmp.Or(cmp.Compare(len(best.labels), len(i.labels)), cmp.Compare(i.key.Name, best.key.Name)) < 0) {
			best = i
		}
	}
	return best
}

// Identity returns the MeshIdentity that gives a dataplane its certificate: an empty key
// if there is none, or if the dataplane is unknown.
func (s *Snapshot) Identity(meshName, dataplane string) kuma.Key {
	_, dp, err := s.find(meshName, dataplane)
	if err != nil {
		return kuma.Key{}
	}
	return dp.identity
}

// IdentityProblem returns the MeshIdentity that selects a dataplane but gives it no certificate, and why, as a clause. The
// key is empty if there is none. If [Snapshot.Identity] returns it too, the dataplane gets no configuration.
func (s *Snapshot) IdentityProblem(meshName, dataplane string) (of kuma.Key, problem string) {
	m, dp, err := s.find(meshName, dataplane)
	if err != nil {
		return kuma.Key{}, ""
	}
	i := m.identityOf(dp)
	if i.problem == "" {
		return kuma.Key{}, ""
	}
	return i.key, i.problem
}

// access returns which clients may connect to an inbound.
func (m matchedPolicies) access(in Incoming) Access {
	dp := m.proxy
	switch {
	case !dp.mesh.mutualTLS && dp.identity == (kuma.Key{}):
		return AccessUnchecked
	case len(in.Rules) > 0 && len(in.From) > 0:
		return AccessSome // the order of the two is not known
	case len(in.Rules) > 0:
		return dp.mesh.accessByRules(in.Rules[0].layers)
	default:
		return accessByFrom(in.From)
	}
}

// accessByRules evaluates the lists of clients, to which all layers add. The certificates of the mesh
// contain several names, so that no exact SPIFFE ID matches them.
func (m *mesh) accessByRules(layers []*layer) Access {
	matching := func(lists ...string) []any {
		var out []any
		for _, list := range lists {
			for _, l := range layers {
				out = append(out, tree.List(tree.Object(l.conf.value)[list])...)
			}
		}
		return slices.DeleteFunc(out, func(client any) bool {
			id := tree.Object(tree.Object(client)["spiffeID"])
			return id != nil && tree.Text(id["type"]) != "Prefix" && m.exactNeverMatches(tree.Text(id["value"]))
		})
	}
	deny := matching(DenyList)
	allow := slices.DeleteFunc(matching(AllowList, ShadowDenyList), func(client any) bool {
		return slices.ContainsFunc(deny, func(denied any) bool { return Covers(denied, client) })
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

// exactNeverMatches reports whether no client of the mesh has a certificate that an exact
// match of the SPIFFE ID matches: it would have to come from a MeshIdentity, because those
// of the mesh contain several names (matching.md §7.5).
func (m *mesh) exactNeverMatches(id string) bool {
	own := strings.HasPrefix(id, "spiffe://"+m.name+"/")
	return m.mutualTLS && !slices.ContainsFunc(m.identities, func(i identity) bool {
		return i.isReady() && (!own || i.trustDomain == m.name || strings.Contains(i.trustDomain, "{{"))
	})
}

// ExactNeverMatches reports whether no certificate of a client in the mesh matches
// exactly a SPIFFE ID.
func (s *Snapshot) ExactNeverMatches(meshName, id string) bool {
	return s.mesh(meshName).exactNeverMatches(id)
}

// admitsAll reports whether a list of clients covers all SPIFFE IDs of the
// trust domains of the mesh.
func (m *mesh) admitsAll(clients []any) bool {
	domains := make([]string, 0, len(m.identities)+1)
	if m.mutualTLS {
		domains = append(domains, m.name)
	}
	for _, i := range m.identities {
		if i.isReady() {
			domains = append(domains, i.trustDomain)
		}
	}
	return !slices.ContainsFunc(domains, func(domain string) bool {
		all := map[string]any{"spiffeID": map[string]any{"type": "Prefix", "value": "spiffe://" + domain}}
		return !slices.ContainsFunc(clients, func(client any) bool { return Covers(client, all) })
	})
}

// accessByFrom evaluates the rules by tags. One without a tag that a client must have
// stems from an entry for all clients.
func accessByFrom(list []Rule) Access {
	required := func(m Matcher) bool { return !m.Not }
	others := slices.ContainsFunc(list, func(r Rule) bool { return !slices.ContainsFunc(r.Matchers, required) })
	allows := func(r Rule) bool { return !denies(r) }
	switch {
	case !slices.ContainsFunc(list, allows):
		return AccessNone
	case others && !slices.ContainsFunc(list, denies):
		return AccessAll
	default:
		return AccessSome
	}
}

func denies(r Rule) bool { return r.Action() == ActionDeny }

// Action returns what a rule of permissions by tags does with clients that meet its
// matchers, such as [ActionDeny]: what the last layer that has an action says, without
// merging them.
func (r Rule) Action() string {
	if r.Conf != nil {
		return tree.Text(tree.Object(r.Conf)["action"])
	}
	for _, l := range slices.Backward(r.layers) {
		conf := tree.Object(l.conf.value)
		if action, set := conf["action"]; set || conf == nil { // which replaces all earlier layers
			return tree.Text(action)
		}
	}
	return ""
}

// admitted divides the rules of permissions by tags into those with an effect and those
// that deny clients without effect, because other rules allow all of them (matching.md §7.5).
func admitted(list []Rule) (effective, useless []Rule) {
	var allowed [][]Matcher
	for _, r := range list {
		if !denies(r) {
			allowed = append(allowed, r.Matchers)
		}
	}
	for _, r := range list {
		if denies(r) && within(r.Matchers, allowed) {
			useless = append(useless, r)
		} else {
			effective = append(effective, r)
		}
	}
	return effective, useless
}

// within reports whether every client that meets the matchers is among the others.
func within(clients []Matcher, others [][]Matcher) bool {
	for i, other := range others {
		if slices.ContainsFunc(other, func(m Matcher) bool { return implied(clients, opposite(m)) }) {
			continue // none of the clients
		}
		for _, m := range other {
			if !implied(clients, m) {
				return within(append(slices.Clip(clients), m), others[i:]) &&
					within(append(slices.Clip(clients), opposite(m)), others[i+1:])
			}
		}
		return true
	}
	return false
}

// implied reports whether all clients that meet the matchers meet another one.
func implied(clients []Matcher, by Matcher) bool {
	return slices.ContainsFunc(clients, func(m Matcher) bool {
		return m == by || by.Not && !m.Not && m.Key == by.Key && m.Value != by.Value
	})
}

func opposite(m Matcher) Matcher { return Matcher{m.Key, m.Value, !m.Not} }

// ListedClients are the clients that one element of a list of permissions matches. All of
// its conditions must be met.
type ListedClients struct {
	Entry
	List       string // such as [DenyList]
	ID         string // SPIFFE ID, empty for any
	Prefix     bool   // ID is a prefix
	ServerName string // that the client asks for, empty for any
}

// Clients returns the elements of the lists of permissions, by entry in order of increasing
// precedence, and in the order in which the entry has them.
func (r IncomingRule) Clients() []ListedClients {
	var out []ListedClients
	for _, l := range r.layers {
		conf := tree.Object(l.conf.value)
		for _, list := range []string{DenyList, ShadowDenyList, AllowList} {
			for _, match := range tree.Objects(conf[list]) {
				id, name := tree.Object(match["spiffeID"]), tree.Object(match["sni"])
				out = append(out, ListedClients{
					Entry{l.policy.Key(), l.index},
					list,
					tree.Text(id["value"]), tree.Text(id["type"]) == "Prefix", tree.Text(name["value"]),
				})
			}
		}
	}
	return out
}
