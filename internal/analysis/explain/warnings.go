package explain

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Warnings lists what is odd about the policies of the given types, all types if
// there are none, for the dataplane of an answer: first for each type what the
// control plane warns about, then what it stores without a word although it has
// no effect on this proxy:
//
//   - planned policies that do not select the proxy, and why;
//   - entries for destinations that do not exist;
//   - settings for routes that do not apply to the proxy, and which selector
//     leaves the proxy out. Design record 000 asks for it ("Route may not be
//     present"), a control plane has no place to say so.
//
// The answer is one of the snapshot. The error is one of those of
// [rules.Snapshot.Rules].
func Warnings(s *rules.Snapshot, a rules.Answer, planned []kuma.Key, types ...string) ([]string, error) {
	c := collector{Snapshot: s, proxy: a.Resource, planned: planned, warnings: []string{}}
	for _, k := range kinds.Policies() {
		if len(types) > 0 && !slices.Contains(types, k.Name) {
			continue
		}
		if err := c.policies(k.Name, a.Rules); err != nil {
			return nil, err
		}
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

// policies looks at those of one type.
func (c *collector) policies(policyType string, shown []rules.PolicyRules) error {
	var p rules.PolicyRules
	if i := slices.IndexFunc(shown, func(p rules.PolicyRules) bool { return p.Type == policyType }); i >= 0 {
		p = shown[i]
	} else { // an answer leaves out types that have nothing but warnings
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
	}
	for _, r := range p.ToResourceRules {
		c.unusedRoute(policyType, r)
	}
	return nil
}

// unselected warns about a planned policy that does not select the proxy.
func (c *collector) unselected(key kuma.Key) {
	if by, err := c.Excluded(key, c.proxy.Name); err == nil && by != rules.NotExcluded {
		c.warn("%s does not select %s: %s.", key.Local(), c.proxy.Key().Local(), by.Because(*c.Resource(key)))
	}
}

// dangling warns about entries of a policy whose destination does not exist.
func (c *collector) dangling(policy *kuma.Resource) {
	for i, ref := range policy.ToRefs() {
		if c.LeadsNowhere(*policy, ref) {
			c.warn("%s: to[%d] targets %s, which does not exist, so it has no effect.", policy.Key().Local(), i, ref)
		}
	}
}

// unusedRoute warns about the settings for a route that the proxy does not have.
func (c *collector) unusedRoute(policyType string, r rules.ResourceRule) {
	route := r.ResourceMeta.Key()
	excluded, err := c.Excluded(route, c.proxy.Name)
	if err != nil || excluded == rules.NotExcluded { // an error: it is a service, not a route
		return
	}
	var from []string
	for _, o := range r.Origin { // entries for the mesh are among them, too
		refs := c.Resource(o.ResourceMeta.Key()).ToRefs()
		if o.RuleIndex < len(refs) && refs[o.RuleIndex].Kind == route.Type {
			from = append(from, by(o))
		}
	}
	c.warn("%s: the settings of %s for %s have no effect on %s, because the route does not apply to it: %s.",
		policyType, phrase.And(from...), route.Local(), c.proxy.Key().Local(), excluded.Because(*c.Resource(route)))
}
