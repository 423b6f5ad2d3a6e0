package impact

import (
	"fmt"
	"iter"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// effectiveRules is what the policies of one type set for a dataplane in a snapshot.
type effectiveRules struct {
	*snapshot
	rules     rules.PolicyRules
	sections  map[section]*rules.ResourceRule
	listeners map[string]listener // of a builtin gateway
	applied   map[kuma.ID]bool    // routes that apply to the proxy
}

// listener is what a builtin gateway does with requests that one of its listeners takes.
type listener struct {
	about string
	rules []rules.Rule
}

// section is a resource, or one section of it.
type section struct {
	id   kuma.ID
	name string
}

func (s *snapshot) effectiveRules(dataplane, policyType string, m matches) effectiveRules {
	e := effectiveRules{snapshot: s, listeners: map[string]listener{}, applied: map[kuma.ID]bool{}}
	for _, routes := range m.routes {
		if routes == nil {
			continue
		}
		for _, key := range routes.Policies() {
			e.applied[s.Resource(key).ID()] = true
		}
	}
	outline := s.Outline
	if m.byTag {
		outline = s.OutlineByTags
	}
	var err error
	e.rules, err = outline(s.mesh, dataplane, policyType)
	s.fail(err)
	for _, o := range e.rules.Outgoing() {
		if o.Listener != nil {
			name := fmt.Sprintf("port %d", o.Listener.Port)
			if o.Listener.Hostname != "*" {
				name += fmt.Sprintf(", hostname %s", o.Listener.Hostname)
			}
			e.listeners[name] = listener{o.Listener.String(), o.Rules}
			continue
		}
		e.rules.ToRules, e.rules.ToResourceRules = o.Rules, o.Resources
	}
	e.sections = make(map[section]*rules.ResourceRule, len(e.rules.ToResourceRules))
	for i := range e.rules.ToResourceRules {
		r := &e.rules.ToResourceRules[i]
		e.sections[sectionOf(*r)] = r
	}
	return e
}

func sectionOf(r rules.ResourceRule) section {
	return section{r.ID(), r.ResourceSectionName}
}

// isRoute reports whether the resource is a route.
func (p section) isRoute() bool { return rules.IsRoute(p.id.Type) }

// describe describes a section in words, with its zone if several zones have a
// resource with this name.
func (s *snapshot) describe(p section) string {
	out := kuma.Describe(p.id.Type, p.id.Name, p.name)
	if p.id.Namespace != "" {
		out += " of namespace " + p.id.Namespace
	}
	if s.zones[anywhere(p.id)] > 1 {
		out += " of zone " + p.id.Zone
	}
	return out
}

// settings returns the confs that apply to traffic to a destination, on the given
// route or on none. It returns nil if there are none, or if the destination does not
// exist. Traffic does not take a route that does not apply to the proxy.
func (e effectiveRules) settings(d rules.Destination, route *section) *settings {
	nearest := section{d.Resource, d.Section}
	if route != nil && e.applied[route.id] {
		d.Route, d.RouteSection = route.id, route.name
		nearest = *route
	}
	if r, ok := e.sections[nearest]; ok {
		own := resourceSettings(r)
		if nearest.isRoute() {
			own.service = e.settings(rules.Destination{Resource: d.Resource, Section: d.Section}, nil)
		}
		return own
	}
	if _, ok := e.ids[d.Resource]; !ok {
		return nil
	}
	found, ok := e.rules.Lookup(d)
	if !ok {
		return nil
	}
	return resourceSettings(found.Resource)
}

// destinations returns the destinations of the entries of a route.
func (e effectiveRules) destinations(route kuma.ID) []rules.Destination {
	var out []rules.Destination
	policy, ok := e.ids[route]
	if !ok {
		return nil
	}
	for _, ref := range policy.ToRefs() {
		for _, t := range e.Resolve(*policy, ref, 0) {
			out = append(out, rules.Destination{Resource: e.Resource(t.Resource).ID(), Section: t.Section})
		}
	}
	return out
}

// settings is the confs of one rule.
type settings struct {
	input   rules.Input // equal input means equal confs and leaves; zero if unknown
	confs   func() []any
	leaves  func() [][]rules.Leaf
	entries iter.Seq[rules.Entry] // in order of increasing precedence
	service *settings             // those of the service, for a rule for a route
}

// ofService returns the settings of the service beside a rule for a route; nil if there are none.
func (s *settings) ofService() *settings {
	if s == nil {
		return nil
	}
	return s.service
}

// same reports whether two settings are known to be equal without comparing them.
func (s *settings) same(other *settings) bool {
	return s != nil && other != nil && s.input != (rules.Input{}) && s.input == other.input
}

// resourceSettings returns the settings of a resource rule of an outline.
func resourceSettings(r *rules.ResourceRule) *settings {
	return &settings{input: r.Input(), confs: func() []any { return r.Merge() }, leaves: r.Explain, entries: r.Entries()}
}

// tagSettings returns the settings of the legacy rules of an outline for the same
// peers. There are several if they have confs for hostnames.
func tagSettings(joined []rules.Rule) *settings {
	s := &settings{
		confs:  func() []any { return phrase.Each(joined, rules.Rule.Merge) },
		leaves: func() [][]rules.Leaf { return phrase.Each(joined, rules.Rule.Explain) }, entries: joined[0].Entries(),
	}
	if len(joined) == 1 {
		s.input = joined[0].Input()
	}
	return s
}

// incomingSettings returns the settings of a rule for incoming requests.
func incomingSettings(r rules.IncomingRule) *settings {
	return &settings{
		input: r.Input(), confs: func() []any { return []any{r.Merge()} },
		leaves: func() [][]rules.Leaf { return [][]rules.Leaf{r.Explain()} }, entries: r.Entries(),
	}
}

func proxySettings(r *rules.ProxyRule) *settings {
	if r == nil {
		return nil
	}
	return &settings{
		input: r.Input(), confs: func() []any { return []any{r.Conf} },
		leaves: func() [][]rules.Leaf { return [][]rules.Leaf{r.Explain()} }, entries: r.Entries(),
	}
}

// rank returns the position of an entry among those that the settings are merged
// from, the last position if it occurs several times, and whether it is among them.
func (s *settings) rank(of rules.Origin) (int, bool) {
	rank, found, i := 0, false, 0
	entry := rules.Entry{Policy: of.ResourceMeta.Key(), Index: of.RuleIndex}
	for e := range s.entries {
		if e == entry {
			rank, found = i, true
		}
		i++
	}
	return rank, found
}

// policies returns the policies of the entries. A policy may be repeated.
func (s *settings) policies() []kuma.Key {
	var keys []kuma.Key
	for e := range s.entries { // entries of one policy are usually adjacent
		if len(keys) == 0 || keys[len(keys)-1] != e.Policy {
			keys = append(keys, e.Policy)
		}
	}
	return keys
}
