package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Answer contains the rules of all policies of a mesh for one dataplane. It
// marshals to the JSON of the inspect API (matching.md §13.1), shares no memory
// with the snapshot. Its slices are never nil, except for the rules by tags of a release
// that has none.
type Answer struct {
	HTTPMatches []HTTPMatch   `json:"httpMatches"` // in order of hash
	Resource    Meta          `json:"resource"`    // the dataplane
	Rules       []PolicyRules `json:"rules"`       // in the order in which kinds are processed

	listedMatches []HTTPMatch
	applied       []PolicyRules // nil for those of Rules
}

// Applied returns Rules, and those of other kinds of which a builtin gateway only has rules by tags
// that the answer hides: see [PolicyRules.Outgoing].
func (a Answer) Applied() []PolicyRules {
	if a.applied != nil {
		return a.applied
	}
	return a.Rules
}

// Listed returns the part of the answer that the inspect API of the release
// returns: before 2.14 it omitted most types that had no other rules than those
// by resource (versions.md §5, M14).
func (a Answer) Listed() Answer {
	a.HTTPMatches = a.listedMatches
	a.Rules = slices.DeleteFunc(slices.Clone(a.Rules), func(r PolicyRules) bool { return !r.listed() })
	return a
}

// HTTPMatch explains a hash that stands for the matches of an HTTP route rule.
type HTTPMatch struct {
	Hash  string `json:"hash"`
	Match []any  `json:"match"`
}

// PolicyRules are the rules of one policy kind.
type PolicyRules struct {
	Type            string         `json:"type"`
	ToRules         []Rule         `json:"toRules,omitzero"`   // most tags first; empty in mode Exclusive
	ToResourceRules []ResourceRule `json:"toResourceRules"`    // in order of name, type and section
	FromRules       []FromRules    `json:"fromRules,omitzero"` // in order of port
	InboundRules    []InboundRules `json:"inboundRules"`       // in order of port
	ProxyRule       *ProxyRule     `json:"proxyRule,omitempty"`
	Warnings        []string       `json:"warnings"`

	kind     *kind
	outline  bool // see [Snapshot.Outline]
	selected matchedPolicies
	outgoing []Outgoing // of a builtin gateway
}

// Rule is the conf for peers whose tags match the matchers. Origins are in
// merge order, each policy once.
type Rule struct {
	mergeInput

	Matchers []Matcher `json:"matchers"`
	Conf     any       `json:"conf"`
	Origin   []Meta    `json:"origin"`
}

// Matcher requires that a tag has a value or, with Not, that it does not.
type Matcher struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Not   bool   `json:"not"`
}

// ResourceRule is the conf for one destination, or for one section (port) of
// it. Conf has one element, except for routes with hostnames.
type ResourceRule struct {
	mergeInput

	ResourceMeta        Meta     `json:"resourceMeta"`
	ResourceSectionName string   `json:"resourceSectionName"`
	Conf                []any    `json:"conf"`
	Origin              []Origin `json:"origin"` // in merge order

	about *kuma.Resource
	at    *section
}

// ID returns the identity of the resource, without a search in its labels.
func (r ResourceRule) ID() kuma.ID { return r.at.resource }

// SameInput reports whether two rules are known to have the same [Input], without computing it.
func (r *ResourceRule) SameInput(o *ResourceRule) bool { return r.equal(o.mergeInput) }

// FromRules are the legacy rules of one inbound.
type FromRules struct {
	Inbound Inbound `json:"inbound"`
	Rules   []Rule  `json:"rules"`

	at address
}

// InboundRules are the rules of one inbound, most specific match first, and
// policies with lower precedence first among equal matches. They are not
// merged, except by releases before 2.12.
type InboundRules struct {
	Inbound Inbound       `json:"inbound"`
	Rules   []InboundRule `json:"rules"`
}

// InboundRule is one entry of a policy for one of its matches; Match is nil
// when the entry has none. Releases before 2.12 merge all entries of an inbound.
type InboundRule struct {
	Match  any      `json:"match,omitempty"`
	Conf   []any    `json:"conf"`
	Origin []Origin `json:"origin"` // in merge order
}

// ProxyRule is the conf of a kind that configures the proxy as a whole.
type ProxyRule struct {
	mergeInput

	Conf   any    `json:"conf"`
	Origin []Meta `json:"origin"`
}

// Inbound is a port on which a proxy accepts traffic. Tags are nil for ports
// without their own tags.
type Inbound struct {
	Name string            `json:"name,omitempty"`
	Port int               `json:"port"`
	Tags map[string]string `json:"tags"`
}

// String describes the inbound for messages: "port 8080 (main)".
func (i Inbound) String() string {
	if i.Name == "" {
		return fmt.Sprintf("port %d", i.Port)
	}
	return fmt.Sprintf("port %d (%s)", i.Port, i.Name)
}

// Origin is one entry of a policy.
type Origin struct {
	ResourceMeta Meta `json:"resourceMeta"`
	RuleIndex    int  `json:"ruleIndex"` // in the list that has the entry
}

// Meta describes a resource. Labels are never nil; an answer that mentions a
// resource several times may share them.
type Meta struct {
	Type   string            `json:"type"`
	Mesh   string            `json:"mesh"`
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
}

// ID returns the identity of the resource, from which KRIs are built.
func (m Meta) ID() kuma.ID {
	return kuma.Resource{Type: m.Type, Mesh: m.Mesh, Name: m.Name, Labels: m.Labels}.ID()
}

// Key returns the parts of the URL of the resource.
func (m Meta) Key() kuma.Key { return kuma.Key{Type: m.Type, Mesh: m.Mesh, Name: m.Name} }

// metas describes each resource once, with labels of its own.
type metas map[kuma.Key]Meta

func (m metas) of(shared Meta) Meta {
	meta, ok := m[shared.Key()]
	if !ok {
		meta = shared
		meta.Labels = maps.Clone(shared.Labels)
		m[shared.Key()] = meta
	}
	return meta
}

func (m metas) originOf(l *layer) Origin { return m.origin(l.origin()) }

func (m metas) origin(o Origin) Origin { return Origin{m.of(o.ResourceMeta), o.RuleIndex} }

// complete merges the rules of an outline. The result shares no memory with the snapshot.
func (r *PolicyRules) complete() {
	described := metas{}
	r.outline = false
	for i := range r.ToResourceRules {
		r.ToResourceRules[i] = r.ToResourceRules[i].merged(described)
	}
	for i := range r.ToRules {
		r.ToRules[i] = r.ToRules[i].merged(described)
	}
	for _, from := range r.FromRules {
		for i := range from.Rules {
			from.Rules[i] = from.Rules[i].merged(described)
		}
	}
	for _, in := range r.InboundRules {
		for i, rule := range in.Rules {
			in.Rules[i] = InboundRule{tree.Clone(rule.Match), phrase.Each(rule.Conf, tree.Clone), phrase.Each(rule.Origin, described.origin)}
		}
	}
	if r.ProxyRule != nil {
		r.ProxyRule.Origin = phrase.Each(r.ProxyRule.Origin, described.of)
	}
}

// sharedMeta describes a resource with its own labels, which are read-only.
func sharedMeta(r *kuma.Resource) Meta {
	labels := r.Labels
	if labels == nil {
		labels = map[string]string{}
	}
	return Meta{Type: r.Type, Mesh: r.Mesh, Name: r.Name, Labels: labels}
}

// origin returns the entry of a policy, with the labels of the policy, which are read-only.
func (l *layer) origin() Origin { return Origin{l.policy.meta, l.index} }

// metasOf describes the policies of layers with their own labels, which are read-only.
func metasOf(layers []*layer) []Meta {
	return phrase.Each(policiesOf(layers), func(p *policy) Meta { return p.meta })
}

// policiesOf returns the policies of layers, each once.
func policiesOf(layers []*layer) []*policy {
	var out []*policy
	seen := map[*policy]bool{}
	for i, l := range layers {
		again := i > 0 && layers[i-1].policy == l.policy // those of one policy are usually adjacent
		if !again && !seen[l.policy] {
			seen[l.policy] = true
			out = append(out, l.policy)
		}
	}
	return out
}

// empty reports whether there are no rules. Warnings alone are not part of an
// answer.
func (r PolicyRules) empty() bool {
	return len(r.ToRules) == 0 && len(r.ToResourceRules) == 0 &&
		len(r.FromRules) == 0 && len(r.InboundRules) == 0 && r.ProxyRule == nil
}
