package lint

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
)

var olderKinds = Code{
	Code: "older-kinds", Severity: Info, Title: "Resources of older kinds that are not analyzed",
	Fix: "Replace them with policies",
	Doc: "The mesh has resources of older kinds, such as TrafficPermission, TrafficRoute or Timeout, which Kuma 3.0 removes. " +
		"Before, they can have an effect that no analysis of this provider evaluates: " +
		"its answer is unknown, or names what it does not consider. " +
		"The function [`mesh_lint`](../functions/mesh_lint.md) with `kuma3` says what to do with each of them.",
}

func findOlderKinds(m *mesh, report func(Finding)) {
	if m.Release().Kuma3() {
		return
	}
	var found []kuma.Key
	for _, k := range kinds.Older() {
		found = append(found, phrase.Each(m.ofKind(k.Name), (*kuma.Resource).Key)...)
	}
	r := m.Resource(kuma.MeshKey(m.name))
	if r == nil || len(found) == 0 {
		return
	}
	report(olderKinds.at(r, nil, fmt.Sprintf("The mesh has resources of older kinds, which are not analyzed: %s.", proxy.NameOlder(found)),
		"Replace them with policies."))
}
