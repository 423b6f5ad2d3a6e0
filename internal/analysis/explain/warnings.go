package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Warnings returns the problems of policies of the given types, or of all types if
// none are given, for the dataplane of an answer. For each type, it lists the
// warnings of the control plane first, and then what the control plane stores
// silently although it has no effect on this proxy:
//
//   - planned policies that do not select the proxy, and why;
//   - entries for destinations that do not exist, and backendRefs that match no destination or port,
//     or several;
//   - settings for routes that do not apply to a builtin gateway, or to what the proxy sends by
//     tags, with the entries that they take away there, and policies that select a route by which
//     the proxy sends nothing by tags;
//   - fields in entries for routes that have an effect only on services;
//   - settings for routes that do not apply to the proxy, and the selector that
//     excludes it. Design record 000 requires such a warning ("Route may not be
//     present"), but a control plane does not report it;
//   - `from` that the proxy ignores, and settings for HTTP requests on an inbound
//     with another protocol.
//
// The answer must come from the snapshot. The error is one of those of
// [rules.Snapshot.Rules].
func Warnings(s *rules.Snapshot, a rules.Answer, planned []kuma.Key, types ...string) ([]string, error) {
	c := collector{Snapshot: s, of: a.Resource, planned: planned, warnings: []string{}}
	c.proxies = sync.OnceValue(func() *proxy.Mesh {
		m, _ := proxy.New(s, a.Resource.Mesh) // which exists
		return m
	})
	if err := s.CheckDataplane(a.Resource.Mesh, a.Resource.Name); err != nil {
		return nil, err
	}
	for _, t := range kinds.PolicyTypes(types...) {
		if err := c.policies(t, a.Applied()); err != nil {
			return nil, err
		}
	}
	for i, w := range c.warnings {
		c.warnings[i] = phrase.Printable(w)
	}
	return c.warnings, nil
}

// collector collects warnings about one proxy.
type collector struct {
	*rules.Snapshot
	of       rules.Meta // of the proxy
	planned  []kuma.Key
	proxies  func() *proxy.Mesh // which few proxies need
	warnings []string
}

func (c *collector) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// policies adds the warnings about the policies of one type.
func (c *collector) policies(policyType string, shown []rules.PolicyRules) error {
	var p rules.PolicyRules
	if i := slices.IndexFunc(shown, func(p rules.PolicyRules) bool { return p.Type == policyType }); i >= 0 {
		p = shown[i]
	} else { // an answer omits types that only have warnings
		var err error
		if p, err = c.Outline(c.of.Mesh, c.of.Name, policyType); err != nil {
			return err
		}
	}
	c.warnings = append(c.warnings, p.Warnings...)
	for _, key := range c.planned {
		if key.Type == policyType {
			c.unselected(key)
		}
	}
	for _, key := range c.Match(c.of.Mesh, c.of.Name, policyType).Policies() {
		c.entries(c.Resource(key))
	}
	if !p.OfGateway() {
		for _, r := range p.ToResourceRules {
			c.route(policyType, r)
		}
	}
	for _, in := range p.Incoming() {
		for _, remark := range in.Remarks() {
			c.warn("%s, inbound %s: %s", policyType, in.Inbound, remark)
		}
	}
	return nil
}

// unselected warns if a planned policy does not select the proxy.
func (c *collector) unselected(key kuma.Key) {
	if by, err := c.Excluded(key, c.of.Name); err == nil && by != rules.NotExcluded {
		c.warn("%s does not select %s: %s.", key.Local(), c.of.Key().Local(), by.Because(*c.Resource(key)))
	}
}

// entries warns about entries of a policy without effect: those whose destination does not exist,
// and those that do not apply to what the proxy sends by tags.
func (c *collector) entries(policy *kuma.Resource) {
	for _, b := range rules.BackendRefs(*policy) {
		if b.Kind == kinds.MeshOpenTelemetryBackend.Name {
			continue // rules.Kinds does not contain it; the linter finds a missing one
		}
		if n := len(c.Resolve(*policy, b.WithoutSection(), 0)); n > 1 {
			c.warn("%s: %s refers to %s, which matches %d services. The control plane sends the traffic to one of them.",
				policy.Key().Local(), b.Path, b.TargetRef, n)
			continue
		}
		missing := ""
		if service, port := c.Backend(*policy, b); !c.HasBackend(*policy, b) {
			missing = b.WithoutSection().String()
		} else if service != (kuma.ID{}) && port.Number == 0 && b.Port != 0 && b.SectionName == "" {
			missing = fmt.Sprintf("port %d of %s", b.Port, c.Service(service).Key().Local())
		}
		if missing != "" {
			effect := "it receives nothing"
			if len(b.Tags) > 0 && c.HasServiceTag(policy.Mesh, b.Name) {
				effect = "its share of the requests fails"
			}
			c.warn("%s: %s refers to %s, which does not exist, so %s.", policy.Key().Local(), b.Path, missing, effect)
		}
	}
	isDangling := func(ref kuma.TargetRef) bool { return c.IsDangling(*policy, ref) }
	isRoute := func(ref kuma.TargetRef) bool { return rules.IsRoute(ref.Kind) }
	refs, top := policy.ToRefs(), policy.TopRef()
	if !slices.ContainsFunc(refs, isDangling) && !slices.ContainsFunc(refs, isRoute) && !isRoute(top) {
		return
	}
	proxies := c.proxies()
	for i, ref := range refs {
		if isDangling(ref) && !proxies.AppliesByTag(policy, ref, c.of.Name) {
			c.warn("%s: to[%d] targets %s, which does not exist, so it has no effect.", policy.Key().Local(), i, ref)
		}
	}
	if ofRoutes, others := proxies.RouteEntries(policy).LostByTags(c.of.Name); len(ofRoutes) > 0 {
		also := ""
		if len(others) > 0 {
			also = fmt.Sprintf(" Because of that, %s not apply there, either. Move the entries for routes to another policy.",
				subject(others, "does", "do"))
		}
		where := fmt.Sprintf("what %s sends to services by the tag %s", c.of.Key().Local(), kuma.TagService)
		if proxies.IsBuiltinGateway(c.of.Name) {
			where = fmt.Sprintf("requests through %s: a builtin gateway ignores entries for routes", c.of.Key().Local())
		}
		c.warn("%s: %s no effect on %s.%s", policy.Key().Local(), subject(ofRoutes, "has", "have"), where, also)
	}
	if listens := len(proxies.Outbounds(c.of.Name).All) > 0; listens && isRoute(top) &&
		!proxies.SendsByTag(c.of.Name, proxies.ToOfRoute(top.Name)...) {
		c.warn("%s has no effect on %s, which sends no requests on %s %q by the tag %s. "+
			"For requests to a MeshService, refer to the route in spec.to[].targetRef.",
			policy.Key().Local(), c.of.Key().Local(), top.Kind, top.Name, kuma.TagService)
	}
}

// subject names entries of `to`, with the verb for one or several of them.
func subject(entries []int, one, several string) string {
	names := phrase.Each(entries, func(at int) string { return fmt.Sprintf("to[%d]", at) })
	return phrase.And(names...) + " " + phrase.Form(len(names), one, several)
}

// route warns about settings for a route that have no effect.
func (c *collector) route(policyType string, r rules.ResourceRule) {
	route := r.ResourceMeta.Key()
	switch excluded, err := c.Excluded(route, c.of.Name); {
	case err != nil || !rules.IsRoute(route.Type):
	case excluded == rules.NotExcluded:
		c.notPerRoute(policyType, r)
	default:
		c.unusedRoute(policyType, r, excluded)
	}
}

// unusedRoute warns about settings for a route that does not apply to the proxy.
func (c *collector) unusedRoute(policyType string, r rules.ResourceRule, excluded rules.Exclusion) {
	route := r.ResourceMeta.Key()
	var from []string
	for e := range r.Entries() { // also those for the mesh
		refs := c.Resource(e.Policy).ToRefs()
		if e.Index < len(refs) && refs[e.Index].Kind == route.Type {
			from = append(from, strconv.Quote(e.Policy.Name))
		}
	}
	c.warn("%s: the settings of %s for %s have no effect on %s, because the route does not apply: %s.",
		policyType, phrase.And(slices.Compact(from)...), route.Local(), c.of.Key().Local(), excluded.Because(*c.Resource(route)))
}

// Release returns a sentence about results for a control plane of a release, which is
// empty if such results were compared with those of a control plane. It is not exact
// if the results are those of another release.
func Release(r kuma.Release) (text string, exact bool) {
	as := rules.Known(r)
	compared := phrase.Each(rules.Compared(), kuma.Release.String)
	switch {
	case r == kuma.Release{}:
		return fmt.Sprintf("Computed as for Kuma %s: the control plane does not report a release of Kuma.", as), false
	case as != r:
		return fmt.Sprintf("Computed as for Kuma %s: it is not known how Kuma %s matches policies.", as, r), false
	case !slices.Contains(compared, r.String()):
		return fmt.Sprintf("Computed as documented for Kuma %s: results were only compared with control planes of Kuma %s.", r,
			phrase.And(compared...)), true
	default:
		return "", true
	}
}

// notPerRoute warns about values of a route that applies to the proxy, and which proxies use only for a
// whole service (matching.md §17.4).
func (c *collector) notPerRoute(policyType string, r rules.ResourceRule) {
	k, _ := kinds.Find(policyType)
	route := r.ResourceMeta.Key()
	paths := map[rules.Entry][]string{}
	for _, l := range slices.Concat(r.Explain()...) {
		e := rules.Entry{Policy: l.SetBy.ResourceMeta.Key(), Index: l.SetBy.RuleIndex}
		refs := c.Resource(e.Policy).ToRefs()
		if e.Index < len(refs) && rules.IsRoute(refs[e.Index].Kind) && !k.Policy.OnRoute(l.Path) {
			paths[e] = append(paths[e], l.Path.String())
		}
	}
	for _, e := range slices.SortedFunc(maps.Keys(paths), func(a, b rules.Entry) int {
		return cmp.Or(cmp.Compare(a.Policy.Name, b.Policy.Name), cmp.Compare(a.Index, b.Index))
	}) {
		c.warn("%s: %s of to[%d] %s no effect on requests on %s, which have the settings of the service.",
			e.Policy.Local(), phrase.And(paths[e]...), e.Index, phrase.Form(len(paths[e]), "has", "have"), route.Local())
	}
}
