package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// findDisabledLimits finds limits for some clients or proxies that an entry with lower precedence disables: `disabled` is a field of
// its own, which the limit does not override (matching.md §7.4).
func findDisabledLimits(m *mesh, report func(Finding)) {
	type limit struct {
		rules.Entry
		field    string
		disabled kuma.Key
	}
	lost := map[limit][]string{}
	for _, g := range m.Groups(m.name, kinds.MeshRateLimit.Name) {
		r, _ := m.Outline(m.name, g.Dataplanes[0], kinds.MeshRateLimit.Name)
		for _, in := range r.Incoming() {
			for _, rule := range in.Rules {
				set, entries := map[string]rules.Leaf{}, slices.Collect(rule.Entries())
				for _, leaf := range rule.Explain() {
					set[leaf.Path.String()] = leaf
				}
				for _, field := range []string{"http.requestRate", "tcp.connectionRate"} {
					protocol, _, _ := strings.Cut(field, ".")
					disabled := set["local."+protocol+".disabled"]
					at := func(l rules.Leaf) int {
						return slices.Index(entries, rules.Entry{Policy: l.SetBy.ResourceMeta.Key(), Index: l.SetBy.RuleIndex})
					}
					if n := at(set["local."+field+".num"]); disabled.Value == true && n > at(disabled) {
						found := limit{entries[n], field, disabled.SetBy.ResourceMeta.Key()}
						lost[found] = append(lost[found], g.Dataplanes...)
					}
				}
			}
		}
	}
	for l, names := range lost {
		names = phrase.Sorted(names)
		list := "rules"
		if p := m.Resource(l.Policy); p.Spec()[list] == nil {
			list = "from"
		}
		report(questionable.at(m.Resource(l.Policy), slices.Concat(tree.Path{"spec", list, l.Index, "default", "local"}, tree.ParsePath(l.field)),
			fmt.Sprintf("The proxies of %s do not apply the limit, because %s sets disabled, which the limit does not override.", some(names),
				l.disabled.Local()), "Set disabled to false beside the limit, or remove the limit.").on(len(names)))
	}
}
