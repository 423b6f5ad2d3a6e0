package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var noRetries = Code{
	Code: "no-retries", Severity: Info, Since: "3.0", Title: "Clients that do not retry",
	Fix: "Create a MeshRetry, or ignore the finding",
	Doc: "Since Kuma 3.0, a mesh has no default policies, and proxies only retry if a MeshRetry says so. " +
		"Kuma 2 creates the MeshRetry `mesh-retry-all-NAME` with the mesh. " +
		"The finding is for the Mesh and names proxies without a MeshRetry that list services in `outbound` or `reachableBackends`. " +
		"Stated for 3.0.1, not measured.",
}

func findNoRetries(m *mesh, report func(Finding)) {
	meshes := m.ofKind(kuma.KindMesh)
	if len(meshes) == 0 || !m.Release().Has(noRetries.Since) {
		return
	}
	names := slices.DeleteFunc(m.Dataplanes(m.name), func(dataplane string) bool {
		return !m.listsServices(dataplane) || m.IsSelected(m.name, dataplane, kinds.MeshRetry.Name)
	})
	if len(names) == 0 {
		return
	}
	report(noRetries.at(meshes[0], nil,
		fmt.Sprintf("Proxies that no MeshRetry selects send each request once: %s.", some(names)),
		"Create a MeshRetry for these proxies, or ignore the finding if the applications retry by themselves.").on(len(names)))
}

// findLongBackoffs finds retries that can wait longer than the request may take, which includes its retries [E].
func findLongBackoffs(m *mesh, report func(Finding)) {
	retry, timeout := kinds.MeshRetry.Name, kinds.MeshTimeout.Name
	if !m.uses(retry, "to") {
		return
	}
	timeoutsOf := map[string]*rules.PolicyRules{}
	for _, g := range m.Groups(m.name, timeout) {
		r, _ := m.Outline(m.name, g.Dataplanes[0], timeout)
		for _, dataplane := range g.Dataplanes {
			timeoutsOf[dataplane] = &r
		}
	}
	type backoff struct {
		rules.Entry
		path            string
		longest, within time.Duration
	}
	found := map[backoff][]string{}
	for _, g := range m.Groups(m.name, retry) {
		retries, _ := m.Outline(m.name, g.Dataplanes[0], retry)
		for _, r := range retries.ToResourceRules {
			for _, l := range r.Explain()[0] {
				path := l.Path.String()
				base, err := time.ParseDuration(tree.Text(l.Value))
				if err != nil || !strings.HasSuffix(path, ".backOff.baseInterval") {
					continue
				}
				limits := map[*rules.PolicyRules]time.Duration{}
				for _, dataplane := range g.Dataplanes {
					of := timeoutsOf[dataplane]
					within, known := limits[of]
					if !known {
						within = requestTimeout(of, r)
						limits[of] = within
					}
					if within > 0 && base > within {
						at := backoff{rules.Entry{Policy: l.SetBy.ResourceMeta.Key(), Index: l.SetBy.RuleIndex}, path, base, within}
						found[at] = append(found[at], dataplane)
					}
				}
			}
		}
	}
	for at, names := range found {
		names = phrase.Sorted(names)
		report(questionable.at(m.Resource(at.Policy), slices.Concat(tree.Path{"spec", "to", at.Index, "default"}, tree.ParsePath(at.path)),
			fmt.Sprintf("Proxies wait up to %s before a retry, but requests of %s end after %s.", at.longest, some(names), at.within),
			"Set a shorter interval, or a longer requestTimeout in a MeshTimeout.").on(len(names)))
	}
}

// requestTimeout returns the timeout of requests to the destination of a rule, the longest if there are several, or zero if there is none.
func requestTimeout(timeouts *rules.PolicyRules, of rules.ResourceRule) (longest time.Duration) {
	var all []any
	if of.ResourceMeta.Type == kuma.KindMesh {
		for _, r := range timeouts.ToResourceRules {
			all = append(all, r.Merge()[0])
		}
	}
	if found, ok := timeouts.Lookup(rules.Destination{Resource: of.ID(), Section: of.ResourceSectionName}); ok && found.Resource != nil {
		all = append(all, found.Resource.Merge()[0])
	} else {
		all = append(all, nil)
	}
	for _, conf := range all {
		limit := request.OutgoingTimeouts(true)["http.requestTimeout"]
		if text, ok := tree.Root(conf).Get("http", "requestTimeout").Text(); ok {
			limit, _ = time.ParseDuration(text)
		}
		if limit == 0 {
			return 0
		}
		longest = max(longest, limit)
	}
	return longest
}
