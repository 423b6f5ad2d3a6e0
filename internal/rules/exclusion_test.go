package rules_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestBecause(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		by     rules.Exclusion
		policy string // the fields next to type and name
		want   string
	}{
		"selected":     {rules.NotExcluded, `spec: {}`, ``},
		"shadow":       {rules.ExcludedByEffect, `spec: {}`, `it is a shadow policy (label kuma.io/effect: shadow)`},
		"zone":         {rules.ExcludedByZone, `labels: {kuma.io/zone: west}`, `it belongs to zone "west"`},
		"namespace":    {rules.ExcludedByNamespace, `labels: {k8s.kuma.io/namespace: pay}`, `it only selects proxies of namespace "pay"`},
		"no route":     {rules.ExcludedByRoute, `spec: {targetRef: {kind: MeshHTTPRoute, name: r}}`, `MeshHTTPRoute "r", which it selects, does not exist`},
		"route":        {rules.ExcludedByTags, `spec: {targetRef: {kind: MeshHTTPRoute, name: r}}`, `MeshHTTPRoute "r", which it selects, does not apply to the proxy`},
		"kind":         {rules.ExcludedByKind, `spec: {targetRef: {kind: MeshTCPRoute}}`, `a targetRef of kind MeshTCPRoute selects no proxy`},
		"proxy type":   {rules.ExcludedByProxyType, `spec: {targetRef: {kind: Mesh, proxyTypes: [Gateway]}}`, `its targetRef only selects proxies of type Gateway`},
		"gateway":      {rules.ExcludedByGateway, `spec: {targetRef: {kind: MeshGateway, name: edge}}`, `its targetRef requires a proxy of MeshGateway "edge"`},
		"no dataplane": {rules.ExcludedByGateway, `spec: {targetRef: {kind: Dataplane}}`, `a targetRef of kind Dataplane selects no proxy of a MeshGateway`},
		"name":         {rules.ExcludedByName, `spec: {targetRef: {kind: Dataplane, name: web}}`, `its targetRef names Dataplane "web"`},
		"tag as label": {rules.ExcludedByLabels, `spec: {targetRef: {kind: Dataplane, labels: {kuma.io/service: web}}}`, `its targetRef requires a Dataplane with the labels kuma.io/service=web, and kuma.io/service is a tag of inbounds, not a label of Dataplanes`},
		"labels":       {rules.ExcludedByLabels, `spec: {targetRef: {kind: Dataplane, labels: {b: x, a: y}}}`, `its targetRef requires a Dataplane with the labels a=y, b=x`},
		"tags":         {rules.ExcludedByTags, `spec: {targetRef: {kind: MeshSubset, tags: {team: a}}}`, `its targetRef requires an inbound with the tags team=a`},
		"listener":     {rules.ExcludedByTags, `spec: {targetRef: {kind: MeshGateway, name: edge, tags: {port: a}}}`, `its targetRef requires a listener with the tags port=a`},
		"service":      {rules.ExcludedByTags, `spec: {targetRef: {kind: MeshServiceSubset, name: web, tags: {team: a}}}`, `its targetRef requires an inbound with the tags kuma.io/service=web, team=a`},
		"section":      {rules.ExcludedBySection, `spec: {targetRef: {kind: Dataplane, sectionName: main}}`, `its targetRef requires an inbound named "main"`},
		"no inbound":   {rules.ExcludedByInbounds, `spec: {}`, `the proxy has no inbound`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := testworld.Resources(t, "type: MeshTimeout\nname: t\n"+tt.policy)[0]
			if got := tt.by.Because(policy); got != tt.want {
				t.Errorf("%q.Because: got %q, want %q", tt.by, got, tt.want)
			}
		})
	}
}
