package impact

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// view answers what a dataplane gets on one side from the policies of one type.
type view struct {
	*side
	rules   rules.PolicyRules
	places  map[place]*rules.ResourceRule
	applied map[kuma.ID]bool // routes that the proxy has
}

// place is a resource or one section of it.
type place struct {
	id      kuma.ID
	section string
}

func (s *side) view(dataplane, policyType string, routeKinds []string) (view, error) {
	v := view{side: s, places: map[place]*rules.ResourceRule{}, applied: map[kuma.ID]bool{}}
	for _, k := range routeKinds {
		m, err := s.Match(s.mesh, dataplane, k)
		if err != nil {
			return view{}, err
		}
		for _, key := range m.Policies() {
			v.applied[s.resources[key].ID()] = true
		}
	}
	var err error
	if v.rules, err = s.Rules(s.mesh, dataplane, policyType); err != nil {
		return view{}, err
	}
	for i := range v.rules.ToResourceRules {
		r := &v.rules.ToResourceRules[i]
		v.places[placeOf(*r)] = r
	}
	return v, nil
}

func placeOf(r rules.ResourceRule) place {
	return place{r.ResourceMeta.ID(), r.ResourceSectionName}
}

// isRoute reports whether the place is a route.
func (p place) isRoute() bool { return rules.IsRoute(p.id.Type) }

// describe names a place for people, with its zone where several have one.
func (s *side) describe(p place) string {
	out := p.id.Type + " " + p.id.Name
	if p.section != "" {
		out += " port " + p.section
	}
	if p.id.Namespace != "" {
		out += " of namespace " + p.id.Namespace
	}
	if s.zones[anywhere(p.id)] > 1 {
		out += " of zone " + p.id.Zone
	}
	return out
}

// settings returns the confs that govern traffic to a destination, on a route or
// on none; nil when there are none, or when the destination does not exist. A
// route that the proxy does not have is one that its traffic does not take.
func (v view) settings(d rules.Destination, route *place) *settings {
	nearest := place{d.Resource, d.Section}
	if route != nil && v.applied[route.id] {
		d.Route, d.RouteSection = route.id, route.section
		nearest = *route
	}
	if r, ok := v.places[nearest]; ok {
		return resourceSettings(r)
	}
	if _, ok := v.ids[d.Resource]; !ok {
		return nil
	}
	found, ok := v.rules.Lookup(d)
	if !ok {
		return nil
	}
	return resourceSettings(found.Resource)
}

// destinations returns what the entries of a route are for.
func (v view) destinations(route kuma.ID) []rules.Destination {
	var out []rules.Destination
	policy := v.resources[v.ids[route]]
	for _, ref := range policy.ToRefs() {
		for _, t := range v.Resolve(policy, ref, 0) {
			out = append(out, rules.Destination{Resource: v.resources[t.Resource].ID(), Section: t.Section})
		}
	}
	return out
}

// settings are the confs of one rule.
type settings struct {
	confs   []any
	leaves  func() [][]rules.Leaf
	origins func() []kuma.Key
}

func resourceSettings(r *rules.ResourceRule) *settings {
	return &settings{r.Conf, r.Explain, func() []kuma.Key {
		var keys []kuma.Key
		for _, o := range r.Origin {
			keys = append(keys, o.ResourceMeta.Key())
		}
		return keys
	}}
}

// tagSettings joins legacy rules for the same peers: those for hostnames.
func tagSettings(joined []rules.Rule) *settings {
	s := &settings{}
	for _, r := range joined {
		s.confs = append(s.confs, r.Conf)
	}
	s.leaves = func() [][]rules.Leaf {
		var out [][]rules.Leaf
		for _, r := range joined {
			out = append(out, r.Explain())
		}
		return out
	}
	s.origins = func() []kuma.Key { return keysOf(joined[0].Origin) }
	return s
}

func inboundSettings(r rules.InboundRule) *settings {
	return &settings{r.Conf, r.Explain, func() []kuma.Key { return []kuma.Key{r.Origin[0].ResourceMeta.Key()} }}
}

func proxySettings(r *rules.ProxyRule) *settings {
	if r == nil {
		return nil
	}
	return &settings{
		[]any{r.Conf},
		func() [][]rules.Leaf { return [][]rules.Leaf{r.Explain()} },
		func() []kuma.Key { return keysOf(r.Origin) },
	}
}

func keysOf(metas []rules.Meta) []kuma.Key {
	var keys []kuma.Key
	for _, m := range metas {
		keys = append(keys, m.Key())
	}
	return keys
}
