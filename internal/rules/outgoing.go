package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Outgoing is what a proxy does with the policies of one type for outgoing traffic.
type Outgoing struct {
	Listener  *Listener // of a builtin gateway, for what it takes from outside; nil for all other traffic
	Rules     []Rule    // by tags
	Selected  bool      // a policy selects the listener, also if it has no rules by tags
	Resources []ResourceRule
}

// Outgoing returns what the proxy does with the rules for outgoing traffic. An answer lists them
// for all listeners of a builtin gateway together, and hides those by tags in a mesh in mode
// Exclusive. The gateway has rules by tags for each of its ports, or for each listener if the
// policies are routes, and from rules by resource only the settings of connections to backends.
// Entries for routes have no effect on it (matching.md §18.4). Its rules come from an outline.
func (r PolicyRules) Outgoing() []Outgoing {
	switch {
	case r.outgoing != nil:
		return r.outgoing
	case r.kind != nil && r.kind.Policy.Gateway.OnlyHTTP:
		return []Outgoing{{}}
	default:
		return []Outgoing{{Rules: r.ToRules, Resources: r.ToResourceRules}}
	}
}

// OfGateway reports whether the rules are for a builtin gateway with listeners.
func (r PolicyRules) OfGateway() bool { return r.outgoing != nil }

func (o Outgoing) hasRules() bool { return len(o.Rules)+len(o.Resources) > 0 }

// OnListener returns what a builtin gateway does with traffic from one of its listeners.
func (r PolicyRules) OnListener(l Listener) Outgoing {
	for _, o := range r.outgoing {
		if o.Listener != nil && o.Listener.Port == l.Port && (!IsRoute(r.Type) || o.Listener.index == l.index) {
			return o
		}
	}
	return Outgoing{}
}

// Uses reports whether a listener uses the value at a path in a conf of a kind (matching.md §18.4).
func (o Outgoing) Uses(k def.Kind, path tree.Path) bool {
	g, http := k.Policy.Gateway, o.Listener.IsHTTP()
	return !g.OfRequests(path) || http && k.AppliesTo(path, "http") || !http && !g.OnlyHTTP && k.AppliesTo(path, "tcp")
}

// ByTags returns the rule by tags that applies to a peer with the given tags, if there is one.
func (o Outgoing) ByTags(tags map[string]string) (Rule, bool) {
	return PolicyRules{ToRules: o.Rules}.ByTags(tags)
}

// outgoing returns what a builtin gateway does with the policies of a kind, nil for other proxies.
func (m *mesh) outgoing(dp *proxy, k *kind, selected matchedPolicies) ([]Outgoing, error) {
	listeners := dp.ownListeners()
	if len(listeners) == 0 || !k.Policy.To {
		return nil, nil
	}
	backends := Outgoing{}
	for _, r := range selected.resourceRules(k) {
		if r.leaveOut(slices.Concat(k.Policy.Gateway.ForAll, k.Policy.Gateway.ByTags)); len(r.layers) > 0 && !IsRoute(r.about.Type) {
			backends.Resources = append(backends.Resources, r)
		}
	}
	all := []Outgoing{}
	for _, l := range listeners {
		own := dp.onListener(l, k)
		on := own.unsortedMatch(m.policies[k.Name])
		if !IsRoute(k.Name) { // whose order is that of names
			if slices.ContainsFunc(all, func(o Outgoing) bool { return o.Listener.Port == l.Port }) {
				continue
			}
			l.Hostname, on = wildcard, own.match(m.policies[k.Name])
		}
		toRules, err := on.toRules(k)
		if err != nil {
			return nil, fmt.Errorf("%s for a listener of dataplane %q in mesh %q: %w", k.Name, dp.Name, dp.Mesh, err)
		}
		o := Outgoing{Listener: &l, Selected: len(on.policies) > 0}
		if IsRoute(k.Name) && l.IsHTTP() != (k.Name == kuma.KindMeshHTTPRoute) {
			toRules = nil // a listener for HTTP ignores MeshTCPRoutes, and one for TCP MeshHTTPRoutes
		}
		for _, r := range toRules {
			if r.isAboutService() {
				r.leaveOut(k.Policy.Gateway.ForAll)
			}
			if !IsRoute(k.Name) && slices.Contains(r.Matchers, Matcher{Key: kuma.TagService}) {
				continue // of a service by labels, which does not have the tag
			}
			if len(r.layers) > 0 {
				o.Rules = append(o.Rules, r)
			}
		}
		all = append(all, o)
	}
	return append(all, backends), nil
}

// onListener returns a copy of a builtin gateway with one listener, or with all listeners of its
// port unless the policies are routes.
func (dp *proxy) onListener(l Listener, k *kind) *proxy {
	own := *dp
	if IsRoute(k.Name) {
		own.listeners = dp.listeners[l.index : l.index+1]
	} else {
		own.listeners = slices.DeleteFunc(slices.Clone(dp.listeners), func(in proxyInbound) bool { return in.at.port != l.Port })
	}
	return &own
}

// isAboutService reports whether the rule is for some destinations only.
func (r Rule) isAboutService() bool {
	return slices.ContainsFunc(r.Matchers, func(m Matcher) bool { return !m.Not && m.Key != tagMatches })
}

// leaveOut removes parts of a conf, and the entries that set nothing else.
func (f *mergeInput) leaveOut(paths []string) {
	if len(paths) == 0 {
		return
	}
	var layers []*layer
	for _, l := range f.layers {
		value := l.conf.value
		for _, path := range paths {
			value = without(value, path)
		}
		if len(tree.Object(value)) > 0 {
			layers = append(layers, &layer{l.policy, l.index, &conf{value: value, size: sizeOf(value), sum: l.conf.sum}, true})
		}
	}
	f.layers = layers
}

// without returns a conf without the value at a path, and without the objects that contain
// nothing else.
func without(conf any, path string) any {
	name, rest, nested := strings.Cut(path, ".")
	object := tree.Object(conf)
	if name == "" {
		return nil
	}
	if object[name] == nil {
		return conf
	}
	left := maps.Clone(object)
	if delete(left, name); nested {
		if below := without(object[name], rest); len(tree.Object(below)) > 0 {
			left[name] = below
		}
	}
	return left
}
