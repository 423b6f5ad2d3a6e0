package rules

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// kind is a policy kind with what is needed for merging.
type kind struct {
	def.Kind
	appended [][]string // paths of the lists in a conf that are concatenated
	// For a kind whose confs merge rule by rule: the list of rules, and the
	// list of values that each have their own conf. Empty for other kinds.
	keyed, split string
	incoming     *kind // how the entries of `rules` are merged by a proxy
}

func newKind(k def.Kind) *kind {
	out := &kind{Kind: k, appended: appendedLists(confType(k))}
	out.keyed, out.split = k.RouteLists()
	out.incoming = &kind{Kind: k}
	if k.Policy.Permission {
		rules, _ := k.Fields.Field("rules")
		conf, _ := def.ObjectOf(rules.Type).Field("default")
		for _, list := range def.ObjectOf(conf.Type) {
			out.incoming.appended = append(out.incoming.appended, []string{list.Name})
		}
	}
	return out
}

// policy is a policy prepared for matching. Everything that does not depend on
// a dataplane is computed once.
type policy struct {
	*kuma.Resource
	top      kuma.TargetRef // the proxies it selects; kind Mesh when absent
	named    kuma.ID        // the Dataplane that top names, if any
	selector int            // equal for policies of the mesh that have the same top and named
	scope    scope
	strength strength
	first    int // of its positions among those of its type, see [Snapshot.Entries]
	to       []*entry
	from     []*entry
	rules    []*entry // including `from`, where that takes part as rules
	single   []*layer // the only `default` of a policy without lists
	toTags   []subsetEntry
	fromTags []subsetEntry
	route    *policy // whose selection it takes over (§2.4); nil when there is none
	divides  *policy // the route for whose rules its legacy rules are (§5.1); nil when there is none
	meta     Meta
}

// entry is one element of a policy's `to`, `from` or `rules`.
type entry struct {
	layer
	ref     kuma.TargetRef   // of `to` and `from`
	targets []resolvedTarget // of `to`: the resources that ref resolves to
	matches []any            // of `rules`
}

func newPolicy(k *kind, r *kuma.Resource, in *mesh) *policy {
	p := &policy{Resource: r, top: kuma.TargetRef{Kind: kuma.KindMesh}}
	body := r.Spec()
	if ref, ok := body["targetRef"].(map[string]any); ok {
		p.top = in.matching.parse(ref)
	}
	p.meta = sharedMeta(r)
	p.named = referencedID(r, p.top)
	p.scope = scopeOf(r)
	p.strength = strengthOf(p)
	if k.Policy.To {
		for i, item := range tree.List(body["to"]) {
			e := p.entry(in.matching, i, item)
			e.conf = newConf(toConf(k, tree.Object(item)))
			e.targets = in.index.resolve(r, e.ref)
			p.to = append(p.to, e)
		}
	}
	if k.Policy.From && !in.matching.byLabels {
		for i, item := range tree.List(body["from"]) {
			p.from = append(p.from, p.entry(in.matching, i, item))
		}
		p.fromTags = subsetEntries(p.from)
	}
	if k.Policy.Rules {
		for i, item := range tree.List(body["rules"]) {
			e := p.entry(in.matching, i, item)
			e.matches = tree.List(tree.Object(item)["matches"])
			p.rules = append(p.rules, e)
		}
	}
	if k.Policy.FromAsRules && len(p.rules) == 0 {
		p.rules = p.from
	}
	if k.Policy.Single {
		p.single = []*layer{&p.entry(in.matching, 0, body).layer}
	}
	return p
}

func (p *policy) entry(by *matching, i int, item any) *entry {
	m := tree.Object(item)
	return &entry{
		layer: layer{policy: p, index: i, conf: newConf(confOrEmpty(m["default"]))},
		ref:   by.parse(m["targetRef"]),
	}
}

// link connects p with the route that its top-level reference names, which may
// be in any zone and namespace, and derives the entries of the legacy rules.
func (p *policy) link(routes []*policy) {
	if p.top.Kind == kuma.KindMeshHTTPRoute {
		p.route, p.divides = namedRoutes(routes, p.top.Name)
	}
	p.toTags = legacyEntries(p)
}

// confOrEmpty returns a conf, an empty one when v is none.
func confOrEmpty(v any) any {
	if m := tree.Object(v); m != nil {
		return m
	}
	return map[string]any{}
}

func (s *Snapshot) policy(key kuma.Key) *policy { return s.mesh(key.Mesh).policy(key) }

// policy returns a policy of the mesh, nil when there is none.
func (m *mesh) policy(key kuma.Key) *policy {
	policies := m.policies[key.Type]
	i, ok := slices.BinarySearchFunc(policies, key.Name, func(p *policy, name string) int {
		return cmp.Compare(p.Name, name)
	})
	if !ok {
		return nil
	}
	return policies[i]
}
