package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// addContradictions adds what entries of a rule set that proxies only reject together, by resource
// and path.
func (p *typePrecedence) addContradictions(k def.Kind, rule mergedRule, found map[string]Finding) {
	if len(k.Policy.Consistent) == 0 || !rule.counts {
		return
	}
	for _, contests := range rule.contests() {
		for _, object := range k.Policy.Consistent {
			at, fields := tree.ParsePath(object), map[string]any{}
			var entries []policyEntry
			for _, c := range contests {
				if n := len(at); len(c.Path) > n && tree.ComparePaths(c.Path[:n], at) == 0 {
					winner := c.Claims[len(c.Claims)-1]
					fields[fmt.Sprint(c.Path[n])] = winner.Value
					entries = append(entries, p.entryAt(rule.number(winner.Entry)))
				}
			}
			changed := slices.IndexFunc(entries, func(e policyEntry) bool { return !p.initial[e.policy] })
			if changed < 0 || !slices.ContainsFunc(entries, func(e policyEntry) bool { return e != entries[0] }) {
				continue
			}
			conf := any(fields)
			for _, step := range slices.Backward(at) {
				conf = map[string]any{fmt.Sprint(step): conf}
			}
			doc := map[string]any{"spec": map[string]any{"to": []any{map[string]any{"default": conf}}}}
			e := entries[changed]
			other := entries[slices.IndexFunc(entries, func(other policyEntry) bool { return other != e })]
			path := slices.Concat(e.path(), tree.Path{"default"}, at)
			for _, problem := range def.Errors(k.ValidateDesign(doc, p.Release())) {
				found[fmt.Sprint(e, path)] = harmful.at(p.Resource(e.policy), path,
					fmt.Sprintf("%s, together with %s, for %s.", problem.Summary, other.policy.Local(), rule.about()), problem.Detail).
					on(len(p.Selected(e.policy)))
			}
		}
	}
}
