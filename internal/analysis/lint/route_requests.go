package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var routeUnreachable = Code{
	Code: "route-unreachable", Severity: Warning, Title: "Match of a route that no request reaches",
	Fix: "Narrow the match that comes first, or remove the other one",
	Doc: "Another rule takes every request of a match. " +
		"Proxies try exact paths, then prefixes, then regular expressions, then matches without a path, whatever the order of the rules: " +
		"the prefix `/` hides every regular expression. Of equal matches, the first one counts, by the precedence of the policies.",
}

// matchPlace is a match in a policy.
type matchPlace struct {
	entry       rules.Entry
	rule, match int
}

// routeMatch is a match of the merged rules for a destination.
type routeMatch struct {
	place          matchPlace
	match          tree.Node
	kind, path     string
	method         string
	headers, query []tree.Node
	ineffective    bool        // the proxy may not have the rule
	hider          *routeMatch // the one that hides it from requests, nil for none
}

func findRouteUnreachable(m *mesh, report func(Finding)) {
	hidden, reached := map[matchPlace]routeMatch{}, map[matchPlace]bool{} // hidden by which other one
	known := map[rules.Input][]routeMatch{}                               // of rules that are merged from the same entries
	for _, g := range m.Groups(m.name, kuma.KindMeshHTTPRoute) {
		r, _ := m.Outline(m.name, g.Dataplanes[0], kuma.KindMeshHTTPRoute) // empty if its policies would exhaust a control plane
		for _, rule := range r.ToResourceRules {
			if rule.ResourceMeta.Type == kuma.KindMesh {
				continue // a route of a builtin gateway
			}
			matches, again := known[rule.Input()]
			if !again {
				matches = m.routeMatches(rule)
				known[rule.Input()] = matches
			}
			for _, match := range matches {
				if match.hider != nil {
					hidden[match.place] = *match.hider
				} else {
					reached[match.place] = true
				}
			}
		}
	}
	for place, by := range hidden {
		if route := m.Resource(place.entry.Policy); route != nil && !reached[place] {
			report(by.unreachable(route, place).on(len(m.Selected(route.Key()))))
		}
	}
}

// unreachable returns the finding for a match of a route that the match hides.
func (r routeMatch) unreachable(route *kuma.Resource, p matchPlace) Finding {
	winner := fmt.Sprintf("rule %d of %s", r.place.rule+1, r.place.entry.Policy.Local())
	if r.place.entry == p.entry {
		winner = fmt.Sprintf("rule %d of the same entry", r.place.rule+1)
	}
	return routeUnreachable.at(route, tree.Path{"spec", "to", p.entry.Index, "rules", p.rule, "matches", p.match},
		fmt.Sprintf("No request reaches this match: %s has a match (%s) that takes all of them first.", winner, r.words()),
		"Remove this match, make its path exact or a longer prefix, or add a condition to the other match.")
}

// words describes the match for people.
func (r routeMatch) words() string {
	words, _, _ := kinds.MeshHTTPRoute.Words(map[string]any{"rules": []any{map[string]any{"matches": []any{r.match.Value()}}}},
		tree.Path{"rules", 0})
	return words
}

// routeMatches returns the matches of the merged rules, in their order.
func (m *mesh) routeMatches(merged rules.ResourceRule) []routeMatch {
	var all []routeMatch
	for _, rule := range tree.Root(merged.Merge()[0]).Get("rules").Items() {
		list := rule.Get("matches")
		entry, n := request.OwnerOf(m.Snapshot, merged.Entries(), list.Value())
		for i, match := range list.Items() {
			all = append(all, routeMatch{
				place: matchPlace{entry, n, i}, match: match, ineffective: m.mayBeOmitted(entry.Policy, rule),
				kind: tree.Text(match.Get("path", "type").Value()), path: tree.Text(match.Get("path", "value").Value()),
				method: tree.Text(match.Get("method").Value()), headers: match.Get("headers").Items(), query: match.Get("queryParams").Items(),
			})
		}
	}
	for i := range all {
		if by := hiderOf(all, i); by >= 0 {
			all[i].hider = &all[by]
		}
	}
	return all
}

// mayBeOmitted reports whether proxies may not have a rule, because they omit those without
// a backend with a port and a weight (matching.md §17.2).
func (m *mesh) mayBeOmitted(policy kuma.Key, rule tree.Node) bool {
	route, refs := m.Resource(policy), rule.Get("default", "backendRefs")
	return route == nil || refs.Filled() && !m.Release().Has("3.0") && !slices.ContainsFunc(refs.Items(), func(n tree.Node) bool {
		ref := rules.ParseBackendRef(n)
		_, port := m.Backend(*route, ref)
		return port.Number != 0 && ref.Weight > 0
	})
}

// hiderOf returns the match that proxies try before match i, and that takes every request
// which that describes, -1 if there is none. Of matches that are the same, the first one counts.
func hiderOf(all []routeMatch, i int) int {
	one := all[i]
	equal := slices.IndexFunc(all[:i], func(other routeMatch) bool { return !other.ineffective && other.same(one) })
	if equal >= 0 || one.kind != "RegularExpression" && one.kind != "" {
		return equal
	}
	return slices.IndexFunc(all, func(other routeMatch) bool {
		return !other.ineffective && other.kind == "PathPrefix" && coversAll(other.path, one) &&
			(other.method == "" || other.method == one.method) && contains(one.headers, other.headers) && contains(one.query, other.query)
	})
}

// same reports whether two matches describe the same requests.
func (r routeMatch) same(other routeMatch) bool {
	return r.kind == other.kind && r.path == other.path && r.method == other.method &&
		contains(r.headers, other.headers) && contains(other.headers, r.headers) && contains(r.query, other.query) &&
		contains(other.query, r.query)
}

// coversAll reports whether all paths of a match without a path, or with a regular
// expression, have a prefix.
func coversAll(prefix string, m routeMatch) bool {
	if prefix == "/" {
		return true
	}
	expression, err := regexp.Compile(cmp.Or(m.path, ".*"))
	if err != nil {
		return false
	}
	beginning, whole := expression.LiteralPrefix()
	return strings.HasPrefix(beginning, prefix+"/") || whole && beginning == prefix
}

func contains(list, part []tree.Node) bool {
	return !slices.ContainsFunc(part, func(p tree.Node) bool {
		return !slices.ContainsFunc(list, func(n tree.Node) bool { return tree.Equal(n.Value(), p.Value()) })
	})
}

var requestWithoutRoute = Code{
	Code: "request-without-route", Severity: Warning, Since: "3.0", Title: "Requests that no route takes",
	Fix: "Add a rule with the match `{}`",
	Doc: "Kuma 3.0 answers a request to a service with routes with 404 if no rule matches, and with 500 if the rule has `backendRefs = []`. " +
		"All routes for a proxy and a destination count together. Kuma 2.14 sends such requests to the service that was called. " +
		"Stated for 3.0.1, not measured.",
}

func findRequestWithoutRoute(m *mesh, report func(Finding)) {
	if !m.Release().Has(requestWithoutRoute.Since) {
		return
	}
	findWithoutRest(m, func(p problem) {
		route := m.Resource(p.resource)
		f := requestWithoutRoute.at(route, p.Path,
			"Requests that none of the rules match are answered with 404.",
			"Add a rule with one match without conditions, {}, to send them to the service that was called. If they are not allowed, "+
				"ignore the finding.").on(len(m.Selected(p.resource)))
		f.Detail = p.detail
		report(f)
	})
	for _, route := range m.ofKind(kuma.KindMeshHTTPRoute) {
		for _, rule := range httpRules(route) {
			backends := rule.Get("default", "backendRefs")
			empty, ok := backends.Value().([]any)
			if !ok || len(empty) > 0 || rules.Redirects(rule) {
				continue
			}
			report(requestWithoutRoute.at(route, backends.Path,
				"Requests that the rule matches are answered with 500, because it has an empty list of destinations.",
				"Add a destination, or remove backendRefs to send the requests to the service that was called.").on(len(m.Selected(route.Key()))))
		}
	}
}
