package answer

import (
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// EffectiveRules is what the policies of a mesh mean for proxies. Those about one proxy are null
// for several, and those about several for one.
type EffectiveRules struct {
	Rules           []PolicyRules   `json:"rules,omitzero"`
	Conf            any             `json:"conf,omitzero"`
	DestinationConf any             `json:"destination_conf,omitzero"`
	Explain         []ExplainedConf `json:"explain,omitzero"`
	IgnoredRules    []IgnoredRule   `json:"ignored_rules,omitzero"`
	Defaults        []Default       `json:"default_settings,omitzero"`
	Explanation     string          `json:"explanation"`
	Diagram         string          `json:"diagram,omitzero"`
	Warnings        []string        `json:"warnings"`
	Digest          string          `json:"digest"`
	JSON            string          `json:"json,omitzero"`
	GroupCount      *int            `json:"group_count"`
	Groups          []Group         `json:"groups,omitzero"`

	// IgnoredRoute is a warning that the route of the destination does not select the proxy, empty if
	// it does. It is one of the warnings.
	IgnoredRoute string `json:"-"`
}

// Group is a group of proxies with the same rules.
type Group struct {
	Digest         string   `json:"digest"`
	DataplaneCount int      `json:"dataplane_count"`
	Dataplanes     []string `json:"dataplanes"`
	Conf           string   `json:"conf,omitzero"`
}

// IgnoredRule is an entry that a proxy ignores.
type IgnoredRule struct {
	Type    string `json:"type"`
	KRI     string `json:"kri,omitzero"`
	Port    int    `json:"port,omitzero"`
	Inbound string `json:"inbound,omitzero"`
	Policy  Entry  `json:"policy"`
	Reason  string `json:"reason"`
}

// Default is a setting that no policy sets.
type Default struct {
	Type    string `json:"type"`
	KRI     string `json:"kri,omitzero"`
	Port    int    `json:"port,omitzero"`
	Inbound string `json:"inbound,omitzero"`
	Path    string `json:"path"`
	Source  string `json:"source"`
	Value   string `json:"value"`
}

// ExplainedConf is a value with the policies that set it.
type ExplainedConf struct {
	Type       string       `json:"type"`
	KRI        string       `json:"kri"`
	Path       string       `json:"path"`
	Value      string       `json:"value"`
	SetBy      *Entry       `json:"set_by"`
	Overridden []Overridden `json:"overridden"`
}

// Overridden is a value of a policy with a lower precedence.
type Overridden struct {
	Value string `json:"value"`
	SetBy *Entry `json:"set_by"`
}

// PolicyRules are the rules of one kind of policy.
type PolicyRules struct {
	Type            string         `json:"type"`
	ToRules         []Rule         `json:"to_rules"`
	ToResourceRules []ResourceRule `json:"to_resource_rules"`
	FromRules       []FromRules    `json:"from_rules"`
	InboundRules    []InboundRules `json:"inbound_rules"`
	ProxyRule       *ProxyRule     `json:"proxy_rule"`
	Warnings        []string       `json:"warnings"`
}

// Rule is a rule by tags.
type Rule struct {
	Matchers []rules.Matcher `json:"matchers"`
	Conf     string          `json:"conf"`
	Origin   []Meta          `json:"origin"`
}

// ResourceRule is the rule for a destination.
type ResourceRule struct {
	ResourceMeta Meta     `json:"resource_meta"`
	Section      string   `json:"resource_section_name"`
	KRI          string   `json:"kri"`
	Conf         []string `json:"conf"`
	Origin       []Origin `json:"origin"`
}

// FromRules are the rules of an inbound by tags of the client.
type FromRules struct {
	Inbound Inbound `json:"inbound"`
	Rules   []Rule  `json:"rules"`
}

// InboundRules are the rules of an inbound.
type InboundRules struct {
	Inbound Inbound       `json:"inbound"`
	Rules   []InboundRule `json:"rules"`
}

// InboundRule is one rule of an inbound.
type InboundRule struct {
	Match  string   `json:"match,omitzero"`
	Conf   []string `json:"conf"`
	Origin []Origin `json:"origin"`
}

// ProxyRule has the settings of the proxy itself.
type ProxyRule struct {
	Conf   string `json:"conf"`
	Origin []Meta `json:"origin"`
}

// Inbound is an inbound of a Dataplane.
type Inbound struct {
	Name string            `json:"name,omitzero"`
	Port int               `json:"port"`
	Tags map[string]string `json:"tags,omitzero"`
}

// Meta identifies a resource.
type Meta struct {
	rules.Meta
	KRI string `json:"kri"`
}

// Origin is an entry that a conf was merged from.
type Origin struct {
	ResourceMeta Meta `json:"resource_meta"`
	RuleIndex    int  `json:"rule_index"`
}

// ofRules returns the rules of one proxy, of which the answer is known, for all destinations or for
// one.
func ofRules(m input.Mesh, s *rules.Snapshot, caveat string, a rules.Answer, q RulesQuestion, to *rules.Destination) (EffectiveRules,
	error,
) {
	shown, conf := a, map[string]any{}
	for _, p := range a.Rules {
		conf[p.Type] = confByKRI(kriOf(a.Resource), p)
	}
	out := EffectiveRules{Conf: conf, IgnoredRules: ignoredRules(s, a)}
	if to != nil {
		out.DestinationConf, shown = destinationConf(a, *to), a.For(*to)
	}
	out.Explanation = afterCaveat(caveat, explain.Text(shown))
	var err error
	if out.Diagram, err = explain.Diagram(s, shown); err != nil {
		return out, err
	}
	if out.Digest, err = digest.Of(s, a); err != nil {
		return out, err
	}
	warnings, err := explain.Warnings(s, a, m.Planned, q.Kinds...)
	if err != nil {
		return out, err
	}
	out.Warnings = slices.Concat(m.Warnings, warnings)
	if q.Defaults {
		if err := out.addDefaults(s, a, q, to); err != nil {
			return out, err
		}
	}
	if slices.Contains(q.Include, "rules") {
		out.Rules = phrase.Each(a.Rules, policyRules)
	}
	if slices.Contains(q.Include, "explain") {
		out.Explain = explained(a)
	}
	if slices.Contains(q.Include, "json") {
		out.JSON = phrase.JSON(a)
	}
	return out, nil
}

// addDefaults adds what the proxy does where no policy sets a value.
func (r *EffectiveRules) addDefaults(s *rules.Snapshot, a rules.Answer, q RulesQuestion, to *rules.Destination) error {
	all, err := request.New(s).Defaults(a.Resource.Mesh, a.Resource.Name)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(d request.Default) bool {
		elsewhere := to != nil && (d.To.Resource != to.Resource || to.Section != "" && d.To.Section != to.Section)
		return elsewhere || len(q.Kinds) > 0 && !slices.Contains(q.Kinds, d.Kind)
	})
	r.Defaults = phrase.Each(all, defaultOf)
	if text := request.DefaultsText(all); text != "" {
		r.Explanation += "\n" + text
	}
	return nil
}

// ofGroups returns the rules of several proxies, grouped by equal rules.
func ofGroups(m input.Mesh, s *rules.Snapshot, caveat string, names []string, q RulesQuestion) (EffectiveRules, error) {
	groups, err := digest.Groups(s, m.Name, names, q.Kinds...)
	if err != nil {
		return EffectiveRules{}, err
	}
	count := len(groups)
	out := EffectiveRules{GroupCount: &count, Digest: digest.OfGroups(groups), Groups: []Group{}, Warnings: slices.Clone(m.Warnings)}
	withConf := slices.Contains(q.Include, "conf")
	answer := s.DataplaneOutline
	if withConf {
		answer = s.Dataplane
	}
	var text explain.Groups
	for _, g := range limited(groups, MaxGroups, q.Complete) {
		a, err := answer(m.Name, g.Dataplanes[0], q.Kinds...)
		if err != nil {
			return out, err
		}
		group := Group{Digest: g.Digest, DataplaneCount: len(g.Dataplanes), Dataplanes: limited(g.Dataplanes, MaxDataplanes, q.Complete)}
		if withConf {
			conf := map[string]any{}
			for _, p := range a.Rules {
				conf[p.Type] = confByKRI("proxy", p)
			}
			group.Conf = phrase.JSON(conf)
		}
		warnings, err := explain.Warnings(s, a, m.Planned, q.Kinds...)
		if err != nil {
			return out, err
		}
		out.Groups = append(out.Groups, group)
		for _, w := range warnings {
			if !slices.Contains(out.Warnings, w) {
				out.Warnings = append(out.Warnings, w)
			}
		}
		text.Add(g.Dataplanes, a)
	}
	out.Explanation = afterCaveat(caveat, text.Text(count-len(out.Groups)))
	return out, nil
}

// confByKRI returns the conf of each destination, and of the proxy under the given name.
func confByKRI(proxy string, p rules.PolicyRules) map[string]any {
	out := map[string]any{}
	for _, r := range p.ToResourceRules {
		out[kriOf(r.ResourceMeta)+r.ResourceSectionName] = oneOrAll(r.Conf)
	}
	if p.ProxyRule != nil {
		out[proxy] = p.ProxyRule.Conf
	}
	return out
}

// oneOrAll returns the only conf, null if there is none, or the list of confs of a route with hostnames.
func oneOrAll(confs []any) any {
	switch len(confs) {
	case 0:
		return nil
	case 1:
		return confs[0]
	default:
		return confs
	}
}

// destinationConf returns for each kind of policy what applies to traffic to a
// destination, and where that was found.
func destinationConf(a rules.Answer, d rules.Destination) map[string]any {
	out := map[string]any{}
	for _, p := range a.Applied() {
		if p.OfGateway() {
			if on := p.LookupOnListeners(d); len(on) > 0 {
				out[p.Type] = confOnListeners(on)
			}
			continue
		}
		found, ok := p.Lookup(d)
		if !ok {
			continue
		}
		entry := map[string]any{
			"conf": oneOrAll(found.Conf), "kri": nil, "step": string(found.Step),
			"passed": phrase.Each(found.Passed, func(s rules.Step) any { return string(s) }),
		}
		if r := found.Resource; r != nil {
			entry["kri"] = kriOf(r.ResourceMeta) + r.ResourceSectionName
			entry["origin"] = phrase.Each(r.Origin, func(o rules.Origin) any { return kriOf(o.ResourceMeta) })
		} else {
			entry["origin"] = phrase.Each(found.Tags.Origin, func(m rules.Meta) any { return kriOf(m) })
		}
		out[p.Type] = entry
	}
	return out
}

// confOnListeners returns what applies to traffic from the listeners of a builtin gateway: with one
// conf if all of them have the same.
func confOnListeners(found []rules.ListenerConf) map[string]any {
	listeners, origin := map[string]any{}, []any{}
	for _, on := range found {
		name := strconv.Itoa(on.Listener.Port)
		if on.Listener.Hostname != "*" {
			name = on.Listener.Hostname + ":" + name
		}
		policies := phrase.Each(on.Origin, func(m rules.Meta) any { return kriOf(m) })
		for _, kri := range policies {
			if !slices.Contains(origin, kri) {
				origin = append(origin, kri)
			}
		}
		listeners[name] = map[string]any{"conf": oneOrAll(on.Conf), "origin": policies}
	}
	entry := map[string]any{"conf": nil, "kri": nil, "step": "listener", "passed": []any{}, "origin": origin, "listeners": listeners}
	if !slices.ContainsFunc(found, func(on rules.ListenerConf) bool { return !tree.Equal(on.Conf, found[0].Conf) }) {
		entry["conf"] = oneOrAll(found[0].Conf)
	}
	return entry
}

// ignoredRules returns the entries that the proxy ignores.
func ignoredRules(s *rules.Snapshot, a rules.Answer) []IgnoredRule {
	out := []IgnoredRule{}
	add := func(r IgnoredRule, ignored []rules.IgnoredEntry) {
		for _, e := range ignored {
			r.Reason, r.Policy = e.Reason, Entry{e.Policy.Name, kinds.KRI(s.Resource(e.Policy).ID()), e.Index}
			out = append(out, r)
		}
	}
	for _, p := range a.Rules {
		for _, r := range p.ToResourceRules {
			ignored := s.IgnoredEntries(r)
			if p.OfGateway() {
				ignored = s.IgnoredByGateway(r)
				if k, _ := kinds.Find(p.Type); slices.Contains(k.Policy.Gateway.ForAll, "") { // matching.md §18.4
					ignored = append(ignored, ofServices(s, r)...)
				}
			}
			add(IgnoredRule{Type: p.Type, KRI: kinds.KRI(s.Resource(r.ResourceMeta.Key()).ID()) + r.ResourceSectionName}, ignored)
		}
		for _, o := range p.Outgoing() {
			if o.Listener != nil {
				add(IgnoredRule{Type: p.Type, Port: o.Listener.Port}, o.IgnoredEntries())
			}
		}
		for _, in := range p.Incoming() {
			add(IgnoredRule{Type: p.Type, Port: in.Inbound.Port, Inbound: in.Inbound.Name}, in.IgnoredEntries())
		}
	}
	return out
}

// ofServices returns the entries for a service, which a builtin gateway does not apply of some kinds.
func ofServices(s *rules.Snapshot, r rules.ResourceRule) []rules.IgnoredEntry {
	var out []rules.IgnoredEntry
	for e := range r.Entries() {
		if kind := s.Resource(e.Policy).ToRefs()[e.Index].Kind; kind != kuma.KindMesh && !rules.IsRoute(kind) {
			out = append(out, rules.IgnoredEntry{Entry: e, Reason: "A builtin gateway applies policies of this kind only by entries for Mesh."})
		}
	}
	return out
}

func defaultOf(d request.Default) Default {
	out := Default{Type: d.Kind, Path: d.Path, Source: string(d.Origin), Value: phrase.JSON(d.Value), KRI: portKRI(d.To), Port: d.Inbound.Port}
	if d.Inbound.Port != 0 {
		out.Inbound = d.Inbound.Name
	}
	return out
}

// explained returns for every value of the resource rules and of the proxy rule which
// policy set it.
func explained(a rules.Answer) []ExplainedConf {
	out := []ExplainedConf{}
	add := func(kind, destination string, leaves []rules.Leaf) {
		for _, l := range leaves {
			out = append(out, ExplainedConf{
				Type: kind, KRI: destination, Path: l.Path.String(), Value: phrase.JSON(l.Value), SetBy: entryOf(l.SetBy),
				Overridden: phrase.Each(l.Overridden, func(s rules.Setting) Overridden { return Overridden{phrase.JSON(s.Value), entryOf(s.SetBy)} }),
			})
		}
	}
	for _, p := range a.Rules {
		for _, r := range p.ToResourceRules {
			for _, conf := range r.Explain() {
				add(p.Type, kriOf(r.ResourceMeta)+r.ResourceSectionName, conf)
			}
		}
		if p.ProxyRule != nil {
			add(p.Type, kriOf(a.Resource), p.ProxyRule.Explain())
		}
	}
	return out
}

func policyRules(p rules.PolicyRules) PolicyRules {
	out := PolicyRules{
		Type: p.Type, ToRules: phrase.Each(p.ToRules, ruleOf), ToResourceRules: phrase.Each(p.ToResourceRules, resourceRule),
		FromRules: phrase.Each(p.FromRules, func(f rules.FromRules) FromRules {
			return FromRules{Inbound(f.Inbound), phrase.Each(f.Rules, ruleOf)}
		}),
		InboundRules: phrase.Each(p.InboundRules, func(i rules.InboundRules) InboundRules {
			return InboundRules{Inbound(i.Inbound), phrase.Each(i.Rules, inboundRule)}
		}),
		Warnings: p.Warnings,
	}
	if p.ProxyRule != nil {
		out.ProxyRule = &ProxyRule{phrase.JSON(p.ProxyRule.Conf), phrase.Each(p.ProxyRule.Origin, metaOf)}
	}
	return out
}

func ruleOf(r rules.Rule) Rule {
	return Rule{r.Matchers, phrase.JSON(r.Conf), phrase.Each(r.Origin, metaOf)}
}

func resourceRule(r rules.ResourceRule) ResourceRule {
	return ResourceRule{
		metaOf(r.ResourceMeta), r.ResourceSectionName, kriOf(r.ResourceMeta) + r.ResourceSectionName, phrase.Each(r.Conf, phrase.JSON),
		phrase.Each(r.Origin, originOf),
	}
}

func inboundRule(r rules.InboundRule) InboundRule {
	out := InboundRule{Conf: phrase.Each(r.Conf, phrase.JSON), Origin: phrase.Each(r.Origin, originOf)}
	if r.Match != nil {
		out.Match = phrase.JSON(r.Match)
	}
	return out
}

func originOf(o rules.Origin) Origin { return Origin{metaOf(o.ResourceMeta), o.RuleIndex} }

func metaOf(m rules.Meta) Meta { return Meta{m, kriOf(m)} }
