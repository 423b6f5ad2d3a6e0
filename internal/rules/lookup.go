package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Destination is the destination of outgoing traffic.
type Destination struct {
	// Resource is the MeshService, MeshExternalService or MeshMultiZoneService,
	// and Section the name of its port. Zero for a destination that is only
	// identified by tags.
	Resource kuma.ID
	Section  string

	// Route is the route that the traffic takes, and RouteSection one section of
	// it. Zero for traffic on no route.
	Route        kuma.ID
	RouteSection string

	// Tags are used when there is no Resource, and for routes without a
	// resource rule: kuma.io/service, and for the rules of a deprecated policy
	// that selects a route also the hash of the matches.
	Tags map[string]string
}

// Step is one step of the search for the rule of a destination.
type Step string

// Steps, in the order in which they are tried (matching.md §12).
const (
	StepRouteSection Step = "route section"
	StepRoute        Step = "route"
	StepSection      Step = "section"
	StepResource     Step = "resource"
	StepMesh         Step = "mesh"
	StepTags         Step = "tags"
)

// Found is the answer of [PolicyRules.Lookup].
type Found struct {
	mergeInput

	Step   Step   // where the rule was found
	Passed []Step // steps without a rule, in order
	Conf   []any  // of the rule; one element, except for routes with hostnames

	Resource *ResourceRule // the rule, nil when Step is StepTags
	Tags     *Rule         // the rule, nil otherwise
}

// Merge returns Conf, which a rule of [Snapshot.Outline] does not have yet.
func (f Found) Merge() []any {
	if f.Tags != nil {
		return []any{f.Tags.Merge()}
	}
	return f.Resource.Merge()
}

// Lookup returns the rule that applies to traffic to a destination. It applies
// as a whole: what it does not set is not looked up in the next step. When
// there is none, the result is false and contains only the steps that were
// tried.
//
// Access logs are an exception that callers must handle: what a step after the
// route finds is logged for the destination anyway, and not again for each
// route.
func (r PolicyRules) Lookup(d Destination) (Found, bool) {
	var f Found
	var room [6]wanted
	for _, s := range d.appendSteps(room[:0], r.Type) {
		switch s.step {
		case StepTags:
			if found, ok := r.ByTags(d.Tags); ok {
				f.mergeInput, f.Step, f.Tags, f.Conf = found.mergeInput, s.step, &found, []any{found.Conf}
				return f, true
			}
		default:
			if i := slices.IndexFunc(r.ToResourceRules, s.isAbout); i >= 0 {
				found := &r.ToResourceRules[i]
				f.mergeInput, f.Step, f.Resource, f.Conf = found.mergeInput, s.step, found, found.Conf
				return f, true
			}
		}
		f.Passed = append(f.Passed, s.step)
	}
	return f, false
}

// For returns the part of the answer that applies to traffic to a destination:
// for each type, the rule that [PolicyRules.Lookup] finds, if any. On a builtin gateway it is
// what [PolicyRules.Outgoing] has for the traffic.
func (a Answer) For(d Destination) Answer {
	out := Answer{HTTPMatches: a.HTTPMatches, Resource: a.Resource, Rules: []PolicyRules{}}
	for _, p := range a.Applied() {
		if p.OfGateway() {
			if only := p.throughGateway(d); len(only.outgoing) > 0 {
				out.Rules = append(out.Rules, only)
			}
			continue
		}
		found, ok := p.Lookup(d)
		if !ok {
			continue
		}
		only := PolicyRules{
			Type: p.Type, ToRules: []Rule{}, ToResourceRules: []ResourceRule{}, FromRules: []FromRules{},
			InboundRules: []InboundRules{}, Warnings: p.Warnings,
		}
		if found.Resource != nil {
			only.ToResourceRules = append(only.ToResourceRules, *found.Resource)
		} else {
			only.ToRules = append(only.ToRules, *found.Tags)
		}
		out.Rules = append(out.Rules, only)
	}
	return out
}

// throughGateway returns what a builtin gateway uses for traffic to a destination. A rule by tags
// for all destinations has the settings of requests, and those of connections to backends by tags
// without a rule of their own.
func (r PolicyRules) throughGateway(d Destination) PolicyRules {
	only := PolicyRules{Type: r.Type, Warnings: r.Warnings}
	requests := map[string]string{}
	if hash, ok := d.Tags[tagMatches]; ok {
		requests[tagMatches] = hash
	}
	for _, o := range r.outgoing {
		part := Outgoing{Listener: o.Listener}
		if IsRoute(r.Type) { // all of them may take a request
			part.Rules = o.Rules
		} else if found, ok := o.ByTags(requests); ok {
			part.Rules = append(part.Rules, found)
		}
		if d.Resource == (kuma.ID{}) && !IsRoute(r.Type) {
			if found, ok := o.ByTags(d.Tags); ok && found.isAboutService() {
				part.Rules = append(part.Rules, found)
			}
		}
		toBackend := Destination{Resource: d.Resource, Section: d.Section}
		if found, ok := (PolicyRules{Type: r.Type, ToResourceRules: o.Resources}).Lookup(toBackend); ok {
			part.Resources = append(part.Resources, *found.Resource)
		}
		only.outgoing = append(only.outgoing, part)
	}
	if !slices.ContainsFunc(only.outgoing, Outgoing.hasRules) {
		only.outgoing = nil
	}
	return only
}

// ListenerConf is what a builtin gateway uses for what it takes from one of its listeners.
type ListenerConf struct {
	Listener Listener
	Conf     []any  // at most one element, except for routes with hostnames
	Origin   []Meta // of the policies, with read-only labels
}

// LookupOnListeners is [PolicyRules.Lookup] for a builtin gateway: it returns one element for each of
// its ports, or for each listener if the policies are routes, and none if no policy has settings for
// the destination.
func (r PolicyRules) LookupOnListeners(d Destination) []ListenerConf {
	var found []ListenerConf
	parts := r.throughGateway(d).outgoing
	for _, o := range parts {
		if o.Listener == nil {
			continue
		}
		on := ListenerConf{Listener: *o.Listener}
		var layers []*layer
		for _, rule := range o.Rules {
			on.Conf, layers = append(on.Conf, rule.Merge()), append(layers, rule.layers...)
		}
		for _, rule := range parts[len(parts)-1].Resources {
			on.Conf, layers = append(on.Conf, rule.Merge()...), append(layers, rule.layers...)
		}
		if !IsRoute(r.Type) && len(on.Conf) > 1 {
			for _, conf := range on.Conf[1:] {
				on.Conf[0] = patch(on.Conf[0], conf, nil, nil)
			}
			on.Conf = on.Conf[:1]
		}
		on.Origin = metasOf(layers)
		found = append(found, on)
	}
	return found
}

// wanted is the rule that a step looks for.
type wanted struct {
	step Step
	sectionID
}

func (w wanted) isAbout(r ResourceRule) bool {
	if w.step == StepMesh {
		return r.ResourceMeta.Type == kuma.KindMesh
	}
	return r.ResourceSectionName == w.name && r.ResourceMeta.ID() == w.resource
}

// appendSteps appends the steps of the search for the rule of one kind, six at most.
func (d Destination) appendSteps(steps []wanted, kind string) []wanted {
	var none kuma.ID
	if d.Route != none {
		if d.RouteSection != "" {
			steps = append(steps, wanted{StepRouteSection, sectionID{d.Route, d.RouteSection}})
		}
		steps = append(steps, wanted{StepRoute, sectionID{resource: d.Route}})
	}
	if d.Resource != none {
		if d.Section != "" {
			steps = append(steps, wanted{StepSection, sectionID{d.Resource, d.Section}})
		}
		steps = append(steps, wanted{StepResource, sectionID{resource: d.Resource}}, wanted{step: StepMesh})
	}
	if len(d.Tags) > 0 && (d.Resource == none || IsRoute(kind)) {
		steps = append(steps, wanted{step: StepTags})
	}
	return steps
}

// ByTags returns the rule by tags that applies to a peer with the given tags, if there is one.
func (r PolicyRules) ByTags(tags map[string]string) (Rule, bool) {
	i := slices.IndexFunc(r.ToRules, func(r Rule) bool { return r.Contains(tags) })
	if i < 0 {
		return Rule{}, false
	}
	return r.ToRules[i], true
}

// Contains reports whether the rule applies to a peer with the given tags. Of
// several such rules in a list, the first applies.
func (r Rule) Contains(tags map[string]string) bool {
	if len(tags) == 0 {
		return len(r.Matchers) == 0
	}
	return !slices.ContainsFunc(r.Matchers, func(m Matcher) bool {
		value, ok := tags[m.Key]
		return (ok && value == m.Value) == m.Not
	})
}
