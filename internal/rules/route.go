package rules

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

// This file holds what is peculiar to routes: the conf of a route is not called
// `default`, HTTP routes merge rule by rule, and other policies may (deprecated)
// name a route as what they select.

// tagMatches is the artificial tag by which legacy rules tell requests apart.
const tagMatches = "__rule-matches-hash__"

// isRoute reports whether entries of `to` may be about single routes of a kind.
// Kuma 2.14 refuses MeshTCPRoute there, which its design foresees.
func isRoute(kind string) bool {
	return kind == mesh.KindMeshHTTPRoute || kind == mesh.KindMeshTCPRoute
}

// toConf returns the conf of an element of `to`.
func toConf(k *kind, item map[string]any) any {
	switch {
	case k.keyed != "":
		return k.routeConf(item)
	case k.Name == mesh.KindMeshTCPRoute:
		return tcpRouteConf(item)
	default:
		return confOrEmpty(item["default"])
	}
}

// routeConf is the element without its reference and without empty lists.
func (k *kind) routeConf(item map[string]any) any {
	conf := map[string]any{}
	for _, name := range []string{k.keyed, k.split} {
		if l := list(item[name]); len(l) > 0 {
			conf[name] = l
		}
	}
	return conf
}

// tcpRouteConf is the only rule, or one that sends everything to the
// destination itself (spec/matching.md §10.1).
func tcpRouteConf(item map[string]any) any {
	if rules := list(item["rules"]); len(rules) > 0 {
		return confOrEmpty(rules[0])
	}
	backend := map[string]any{}
	maps.Copy(backend, object(item["targetRef"]))
	backend["weight"] = json.Number("1")
	return map[string]any{"default": map[string]any{"backendRefs": []any{backend}}}
}

// mergeRoutes merges the confs of HTTP routes hostname by hostname, in order of
// first appearance. A conf without hostnames does not take part in those that
// have one (spec/matching.md §10.3).
func (k *kind) mergeRoutes(entries []entry) []any {
	var hostnames []string
	groups := map[string]*ruleMerger{}
	for _, e := range entries {
		conf := object(e.conf)
		for _, hostname := range hostnamesOf(list(conf[k.split])) {
			group, ok := groups[hostname]
			if !ok {
				group = &ruleMerger{byMatches: map[string]*routeRule{}}
				groups[hostname] = group
				hostnames = append(hostnames, hostname)
			}
			group.add(list(conf[k.keyed]))
		}
	}
	var confs []any
	for _, hostname := range hostnames {
		conf := map[string]any{}
		if rules := groups[hostname].merged(); len(rules) > 0 {
			conf[k.keyed] = rules
		}
		if hostname != "" {
			conf[k.split] = []any{hostname}
		}
		confs = append(confs, conf)
	}
	return confs
}

func hostnamesOf(values []any) []string {
	var hostnames []string
	for _, v := range values {
		hostnames = append(hostnames, text(v))
	}
	if len(hostnames) == 0 {
		return []string{""}
	}
	return hostnames
}

// ruleMerger merges route rules that have the same matches.
type ruleMerger struct {
	byMatches map[string]*routeRule
	added     int
}

type routeRule struct {
	rule     map[string]any // as the strongest policy has it
	defaults []any          // of all policies, weakest first
	position int            // when it was added last
}

// add adds the rules of a policy that is stronger than those before. They are
// walked backwards, because the first rule of a policy is its strongest.
func (m *ruleMerger) add(rules []any) {
	for _, v := range slices.Backward(rules) {
		rule := object(v)
		if rule == nil {
			continue
		}
		key := string(matchesJSON(rule["matches"]))
		r, ok := m.byMatches[key]
		if !ok {
			r = &routeRule{}
			m.byMatches[key] = r
		}
		r.rule = rule
		if conf, ok := rule["default"].(map[string]any); ok {
			r.defaults = append(r.defaults, conf)
		}
		r.position = m.added
		m.added++
	}
}

// merged returns the rules, those of the strongest policy first.
func (m *ruleMerger) merged() []any {
	var out []any
	for _, r := range slices.SortedFunc(maps.Values(m.byMatches), func(a, b *routeRule) int {
		return cmp.Compare(b.position, a.position)
	}) {
		rule, _ := mesh.CloneValue(r.rule).(map[string]any)
		if len(r.defaults) > 0 {
			rule["default"] = mergeConfs(r.defaults)
		}
		out = append(out, rule)
	}
	return out
}

// httpMatches explains the hashes of all matches in the rules of HTTP routes;
// none in those of another kind.
func httpMatches(rules PolicyRules) []HTTPMatch {
	if rules.Type != mesh.KindMeshHTTPRoute {
		return nil
	}
	found := map[string]HTTPMatch{}
	collect := func(conf any) {
		for _, v := range list(object(conf)["rules"]) {
			matches := list(object(v)["matches"])
			hash := matchesHash(matches)
			if _, ok := found[hash]; !ok {
				found[hash] = HTTPMatch{Hash: hash, Match: cloneList(matches)}
			}
		}
	}
	for _, r := range rules.ToRules {
		collect(r.Conf)
	}
	for _, r := range rules.ToResourceRules {
		for _, conf := range r.Conf {
			collect(conf)
		}
	}
	out := make([]HTTPMatch, 0, len(found))
	for _, hash := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[hash])
	}
	return out
}

func cloneList(l []any) []any {
	out := make([]any, len(l))
	for i, v := range l {
		out[i] = mesh.CloneValue(v)
	}
	return out
}

// matchesHash is the name of a list of matches (spec/matching.md §10.4).
func matchesHash(matches []any) string {
	sum := sha256.Sum256(matchesJSON(matches))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// httpMatch lists the fields of a match in the order in which they are hashed.
type httpMatch struct {
	Path *struct {
		Value string `json:"value"`
		Type  string `json:"type"`
	} `json:"path,omitempty"`
	Method      string `json:"method,omitempty"`
	QueryParams []struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"queryParams,omitzero"`
	Headers []struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Value string `json:"value,omitempty"`
	} `json:"headers,omitzero"`
}

// matchesJSON returns the text that is hashed. Equal matches have equal texts.
func matchesJSON(matches any) []byte {
	typed := []httpMatch{}
	if raw, err := json.Marshal(list(matches)); err == nil {
		// A member of a wrong type is left out and all others are still read.
		_ = json.Unmarshal(raw, &typed)
	}
	for _, m := range typed {
		for i := range m.Headers {
			m.Headers[i].Type = cmp.Or(m.Headers[i].Type, "Exact")
		}
	}
	out, _ := json.Marshal(typed) // texts only: cannot fail
	return out
}

// namedRoutes returns the first and the last HTTP route of a display name. A
// control plane uses the first to select proxies and the last to make rules.
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

// legacyEntries returns what `to` of a policy means for the legacy rules. One
// entry for a route takes the whole policy out of them. A policy that selects a
// route speaks about each of the route's rules (spec/matching.md §5.1).
func legacyEntries(p, route *policy) []subsetEntry {
	if slices.ContainsFunc(p.to, func(e entry) bool { return isRoute(e.ref.Kind) }) {
		return nil
	}
	if p.top.Kind != mesh.KindMeshHTTPRoute {
		return subsetEntries(p.to)
	}
	if route == nil {
		return nil
	}
	var out []subsetEntry
	for _, destination := range route.to {
		for _, rule := range list(object(destination.conf)["rules"]) {
			tags := map[string]string{tagMatches: matchesHash(list(object(rule)["matches"]))}
			switch destination.ref.Kind {
			case mesh.KindMesh, mesh.KindMeshSubset:
			default:
				tags[mesh.TagService] = destination.ref.Name
			}
			for _, e := range p.to {
				out = append(out, subsetEntry{e, tags})
			}
		}
	}
	return out
}
