package explain

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Warnings returns the problems of policies of the given types, or of all types if
// none are given, for the dataplane of an answer. For each type, it lists the
// warnings of the control plane first, and then what the control plane stores
// silently although it has no effect on this proxy:
//
//   - planned policies that do not select the proxy, and why;
//   - entries for destinations that do not exist, and backendRefs that match no destination, or
//     several;
//   - entries for routes on a builtin gateway;
//   - settings for routes that do not apply to the proxy, and the selector that
//     excludes it. Design record 000 requires such a warning ("Route may not be
//     present"), but a control plane does not report it;
//   - `from` that the proxy ignores, and settings for HTTP requests on an inbound
//     with another protocol.
//
// The answer must come from the snapshot. The error is one of those of
// [rules.Snapshot.Rules].
func Warnings(s *rules.Snapshot, a rules.Answer, planned []kuma.Key, types ...string) ([]string, error) {
	c := collector{Snapshot: s, proxy: a.Resource, planned: planned, warnings: []string{}}
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
	proxy    rules.Meta
	planned  []kuma.Key
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
		if p, err = c.Rules(c.proxy.Mesh, c.proxy.Name, policyType); err != nil {
			return err
		}
	}
	c.warnings = append(c.warnings, p.Warnings...)
	for _, key := range c.planned {
		if key.Type == policyType {
			c.unselected(key)
		}
	}
	m, err := c.Match(c.proxy.Mesh, c.proxy.Name, policyType)
	if err != nil {
		return err
	}
	for _, key := range m.Policies() {
		c.dangling(c.Resource(key))
		if p.OfGateway() {
			c.forRoutes(c.Resource(key))
		}
	}
	for _, r := range p.ToResourceRules {
		if !p.OfGateway() {
			c.unusedRoute(policyType, r)
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
	if by, err := c.Excluded(key, c.proxy.Name); err == nil && by != rules.NotExcluded {
		c.warn("%s does not select %s: %s.", key.Local(), c.proxy.Key().Local(), by.Because(*c.Resource(key)))
	}
}

// dangling warns about entries of a policy whose destination does not exist.
func (c *collector) dangling(policy *kuma.Resource) {
	for i, ref := range policy.ToRefs() {
		if c.IsDangling(*policy, ref) {
			c.warn("%s: to[%d] targets %s, which does not exist, so it has no effect.", policy.Key().Local(), i, ref)
		}
	}
	for _, b := range rules.BackendRefs(*policy) {
		if n := len(c.Resolve(*policy, b.WithoutSection(), 0)); n > 1 {
			c.warn("%s: %s refers to %s, which matches %d services. The control plane sends the traffic to one of them.", policy.Key().Local(), b.Path, b.TargetRef, n)
		} else if !c.HasBackend(*policy, b) {
			c.warn("%s: %s refers to %s, which does not exist, so it receives nothing.", policy.Key().Local(), b.Path, b.WithoutSection())
		}
	}
}

// forRoutes warns about entries for routes, which builtin gateways do not use (matching.md §18.4).
func (c *collector) forRoutes(policy *kuma.Resource) {
	var routes, others []string
	for i, ref := range policy.ToRefs() {
		at := fmt.Sprintf("to[%d]", i)
		if rules.IsRoute(ref.Kind) {
			routes = append(routes, at)
		} else {
			others = append(others, at)
		}
	}
	if len(routes) == 0 {
		return
	}
	also := ""
	if len(others) > 0 {
		also = fmt.Sprintf(" Because of it, requests through the gateway do not have the settings of %s of the policy, either.", phrase.And(others...))
	}
	c.warn("%s: %s has no effect on %s, because a builtin gateway ignores entries for routes.%s", policy.Key().Local(), phrase.And(routes...), c.proxy.Key().Local(), also)
}

// unusedRoute warns about settings for a route that does not apply to the proxy.
func (c *collector) unusedRoute(policyType string, r rules.ResourceRule) {
	route := r.ResourceMeta.Key()
	excluded, err := c.Excluded(route, c.proxy.Name)
	if err != nil || excluded == rules.NotExcluded { // an error means that it is a service, not a route
		return
	}
	var from []string
	for _, o := range r.Origin { // the origin also contains entries for the mesh
		refs := c.Resource(o.ResourceMeta.Key()).ToRefs()
		if o.RuleIndex < len(refs) && refs[o.RuleIndex].Kind == route.Type {
			from = append(from, by(o))
		}
	}
	c.warn("%s: the settings of %s for %s have no effect on %s, because the route does not apply to it: %s.",
		policyType, phrase.And(from...), route.Local(), c.proxy.Key().Local(), excluded.Because(*c.Resource(route)))
}
