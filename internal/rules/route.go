package rules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file contains what is specific to routes: the conf of a route is not
// called `default`, HTTP routes merge rule by rule, and other policies may
// (deprecated) select a route.

// tagMatches is the artificial tag by which legacy rules distinguish requests.
const tagMatches = "__rule-matches-hash__"

// IsRoute reports whether entries of `to` may target single routes of a kind.
// Kuma 2.14 and 3.0 reject MeshTCPRoute there, although its design allows it.
func IsRoute(kind string) bool { return slices.Contains(RouteKinds(), kind) }

// RouteKinds returns the kinds of routes that traffic can take.
func RouteKinds() []string { return []string{kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute} }

// toConf returns the conf of an element of `to`.
func toConf(k *kind, item map[string]any) any {
	switch {
	case k.keyed != "":
		return k.routeConf(item)
	case k.Name == kuma.KindMeshTCPRoute:
		return tcpRouteConf(item)
	default:
		return confOrEmpty(item["default"])
	}
}

// routeConf is the element without its reference and without empty lists.
func (k *kind) routeConf(item map[string]any) any {
	conf := map[string]any{}
	for _, name := range []string{k.keyed, k.split} {
		if l := tree.List(item[name]); len(l) > 0 {
			conf[name] = l
		}
	}
	return conf
}

// tcpRouteConf is the only rule, or one that sends all connections to the
// destination itself (matching.md §10.1).
func tcpRouteConf(item map[string]any) any {
	if rules := tree.List(item["rules"]); len(rules) > 0 {
		return confOrEmpty(rules[0])
	}
	backend := map[string]any{}
	maps.Copy(backend, tree.Object(item["targetRef"]))
	backend["weight"] = json.Number("1")
	return map[string]any{"default": map[string]any{"backendRefs": []any{backend}}}
}

// mergeRoutes merges the confs of HTTP routes hostname by hostname, in order of
// first appearance. A conf without hostnames is not merged into those that have
// one (matching.md §10.3).
func (k *kind) mergeRoutes(layers []*layer, t *trace) []any {
	var hostnames []string
	groups := map[string]*ruleMerger{}
	for _, l := range layers {
		conf := tree.Object(l.conf.value)
		for _, hostname := range hostnamesOf(tree.List(conf[k.split])) {
			group, ok := groups[hostname]
			if !ok {
				group = &ruleMerger{byMatches: map[string]*routeRule{}, trace: t.elem(len(groups))}
				groups[hostname] = group
				hostnames = append(hostnames, hostname)
			}
			if hostname != "" {
				group.trace.field(k.split).set([]any{hostname}, l)
			}
			group.add(tree.List(conf[k.keyed]), l.conf.keys(), l)
		}
	}
	var confs []any
	for _, hostname := range hostnames {
		conf, group := map[string]any{}, groups[hostname]
		if rules := group.merged(k.keyed); len(rules) > 0 {
			conf[k.keyed] = rules
		}
		if hostname != "" {
			conf[k.split] = []any{hostname}
		}
		if len(conf) == 0 {
			group.trace.set(conf, group.last)
		}
		confs = append(confs, conf)
	}
	return confs
}

// confs returns how many confs [kind.merge] returns.
func (k *kind) confs(layers []*layer) int {
	if k.keyed == "" {
		return 1
	}
	hostnames := map[string]bool{}
	for _, l := range layers {
		for _, hostname := range hostnamesOf(tree.List(tree.Object(l.conf.value)[k.split])) {
			hostnames[hostname] = true
		}
	}
	return len(hostnames)
}

func hostnamesOf(values []any) []string {
	if len(values) == 0 {
		return []string{""}
	}
	return phrase.Each(values, tree.Text)
}

// ruleKeys returns a key of the matches of each rule of a route.
func ruleKeys(conf any) []string {
	return phrase.Each(tree.List(tree.Object(conf)["rules"]), func(rule any) string {
		return string(matchesJSON(tree.Object(rule)["matches"]))
	})
}

// ruleMerger merges route rules that have the same matches.
type ruleMerger struct {
	byMatches map[string]*routeRule
	added     int
	last      *layer // that was added
	trace     *trace // of the conf
}

// routeRule is one rule with the versions of all policies, in order of
// increasing precedence.
type routeRule struct {
	layers   []*layer
	position int // when it was added last
}

// add adds the rules of a policy that takes precedence over those before. They
// are added in reverse order, because the first rule of a policy takes
// precedence.
func (m *ruleMerger) add(rules []any, keys []string, by *layer) {
	m.last = by
	for i, v := range slices.Backward(rules) {
		rule := tree.Object(v)
		if rule == nil {
			continue
		}
		r, ok := m.byMatches[keys[i]]
		if !ok {
			r = &routeRule{}
			m.byMatches[keys[i]] = r
		}
		r.layers = append(r.layers, &layer{policy: by.policy, index: by.index, conf: &conf{value: rule}})
		r.position = m.added
		m.added++
	}
}

// merged returns the rules, in order of decreasing precedence. name is the name of
// their list.
func (m *ruleMerger) merged(name string) []any {
	var out []any
	for _, r := range slices.SortedFunc(maps.Values(m.byMatches), func(a, b *routeRule) int {
		return cmp.Compare(b.position, a.position)
	}) {
		out = append(out, r.merge(m.trace.field(name).elem(len(out))))
	}
	return out
}

// merge merges the `default` of a rule and takes everything else from the
// version with the highest precedence.
func (r *routeRule) merge(t *trace) any {
	if t != nil {
		t.layers = len(r.layers)
	}
	top := r.layers[len(r.layers)-1]
	rule := map[string]any{}
	var defaults []*layer
	for _, l := range r.layers {
		if v, ok := tree.Object(l.conf.value)["default"].(map[string]any); ok {
			defaults = append(defaults, &layer{policy: l.policy, index: l.index, conf: &conf{value: v}})
		}
	}
	for name, v := range tree.Object(top.conf.value) {
		if name != "default" || len(defaults) == 0 { // which are merged below
			rule[name] = tree.Clone(v)
		}
	}
	t.overlay(rule, r.layers)
	if len(defaults) > 0 {
		t.field("default").reset(len(defaults))
		rule["default"] = mergeConfs(defaults, t.field("default"))
	}
	if len(rule) == 0 {
		t.set(rule, top)
	}
	return rule
}

// namedRoutes returns the first and the last HTTP route with a display name. A
// control plane uses the first to select proxies and the last to generate
// rules.
func namedRoutes(routes []*policy, name string) (first, last *policy) {
	for _, r := range routes {
		if r.DisplayName() == name {
			if first == nil {
				first = r
			}
			last = r
		}
	}
	return first, last
}

// legacyEntries returns the entries of `to` of a policy for the legacy rules.
// One entry for a route excludes the whole policy from them. A policy that
// selects a route applies to each of the route's rules (matching.md §5.1).
func legacyEntries(p *policy) []subsetEntry {
	if slices.ContainsFunc(p.to, func(e *entry) bool { return IsRoute(e.ref.Kind) }) {
		return nil
	}
	if p.top.Kind != kuma.KindMeshHTTPRoute {
		return subsetEntries(p.to)
	}
	var out []subsetEntry
	for destination, hash := range p.divides.ruleHashes() {
		tags := map[string]string{tagMatches: hash}
		named := destination.ref.Kind != kuma.KindMesh && destination.ref.Kind != kuma.KindMeshSubset
		if named {
			tags[kuma.TagService] = destination.ref.Name
		}
		for _, e := range p.to {
			out = append(out, newSubsetEntry(e, matchersOf(tags), named))
		}
	}
	return out
}

// ruleHashes returns the hash of the matches of each rule of a route, with the entry that has it.
func (p *policy) ruleHashes() iter.Seq2[*entry, string] {
	return func(yield func(*entry, string) bool) {
		if p == nil {
			return
		}
		for _, destination := range p.to {
			for _, rule := range tree.List(tree.Object(destination.conf.value)["rules"]) {
				if !yield(destination, matchesHash(tree.List(tree.Object(rule)["matches"]))) {
					return
				}
			}
		}
	}
}

// Requests describes the requests that a rule by tags is for: by their tags, and by the rules of
// the routes that policies select, which have an artificial tag. It is empty for all.
func (p PolicyRules) Requests(matchers []Matcher) string {
	var tags, ofRoutes []string
	service := ""
	if i := slices.IndexFunc(matchers, func(m Matcher) bool { return m.Key == kuma.TagService && !m.Not }); i >= 0 {
		service = matchers[i].Value
	}
	for _, m := range matchers {
		names := p.namesOf(m, service)
		switch {
		case len(names) == 0:
			tags = append(tags, m.String())
		case m.Not:
			ofRoutes = append(ofRoutes, "not "+phrase.Or(names...))
		default:
			ofRoutes = append(ofRoutes, phrase.Or(names...))
		}
	}
	return strings.Join(append(tags, ofRoutes...), ", ")
}

// namesOf names the rules of routes, to a service if that is not empty, that a matcher stands for:
// none for a tag of proxies.
func (p PolicyRules) namesOf(m Matcher, service string) []string {
	if m.Key != tagMatches {
		return nil
	}
	var names []string
	for _, policy := range p.selected.policies {
		n := 0
		var last *entry
		for destination, hash := range policy.divides.ruleHashes() {
			if n++; destination != last {
				n, last = 1, destination
			}
			if hash == m.Value && (service == "" || destination.ref.Name == "" || destination.ref.Name == service) {
				names = append(names, fmt.Sprintf("rule %d of %s", n, policy.divides.Key().Local()))
			}
		}
	}
	return phrase.Sorted(names)
}
