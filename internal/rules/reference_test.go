package rules_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func snapshotOf(t *testing.T, documents ...string) *rules.Snapshot {
	t.Helper()
	return rules.NewSnapshot(testworld.Resources(t, documents...))
}

func timeoutKey(name string) kuma.Key {
	return kuma.Key{Type: "MeshTimeout", Mesh: "default", Name: name}
}

func TestExcluded(t *testing.T) {
	t.Parallel()
	const dataplanes = `
type: Dataplane
name: sidecar
labels:
  app: web
  kuma.io/origin: zone
  kuma.io/zone: east
  k8s.kuma.io/namespace: shop
networking:
  address: 10.0.0.1
  inbound:
    - port: 8080
      name: main
      tags: {kuma.io/service: web}
---
type: Dataplane
name: edge
networking:
  address: 10.0.0.2
  gateway:
    type: BUILTIN
    tags: {kuma.io/service: edge}
---
type: MeshGateway
name: edge
selectors:
  - {match: {kuma.io/service: edge}}
conf:
  listeners:
    - port: 80
      protocol: HTTP
      tags: {port: http}
---
type: Dataplane
name: empty
networking: {address: 10.0.0.3}
---
type: MeshHTTPRoute
name: r
spec:
  targetRef:
    kind: Dataplane
    labels: {app: cart}
`
	for name, tt := range map[string]struct {
		dataplane, labels, ref string
		want                   rules.Exclusion
	}{
		"selected":                   {"sidecar", `{}`, `{kind: Mesh}`, rules.NotExcluded},
		"selected gateway":           {"edge", `{}`, `{kind: MeshGateway, name: edge, tags: {port: http}}`, rules.NotExcluded},
		"shadow":                     {"sidecar", `{kuma.io/effect: shadow}`, `{kind: Mesh}`, rules.ExcludedByEffect},
		"another zone":               {"sidecar", `{kuma.io/origin: zone, kuma.io/zone: west}`, `{kind: Mesh}`, rules.ExcludedByZone},
		"another namespace":          {"sidecar", `{kuma.io/policy-role: consumer, k8s.kuma.io/namespace: pay}`, `{kind: Mesh}`, rules.ExcludedByNamespace},
		"missing route":              {"sidecar", `{}`, `{kind: MeshHTTPRoute, name: none}`, rules.ExcludedByRoute},
		"selector of the route":      {"sidecar", `{}`, `{kind: MeshHTTPRoute, name: r}`, rules.ExcludedByLabels},
		"no selector":                {"sidecar", `{}`, `{kind: MeshTCPRoute, name: r}`, rules.ExcludedByKind},
		"gateways only":              {"sidecar", `{}`, `{kind: Mesh, proxyTypes: [Gateway]}`, rules.ExcludedByProxyType},
		"subset of gateways":         {"sidecar", `{}`, `{kind: MeshSubset, proxyTypes: [Gateway]}`, rules.ExcludedByProxyType},
		"no gateway":                 {"sidecar", `{}`, `{kind: MeshGateway, name: edge}`, rules.ExcludedByGateway},
		"gateway is not a dataplane": {"edge", `{}`, `{kind: Dataplane}`, rules.ExcludedByGateway},
		"listener without the tag":   {"edge", `{}`, `{kind: MeshGateway, name: edge, tags: {port: https}}`, rules.ExcludedByTags},
		"another name":               {"sidecar", `{}`, `{kind: Dataplane, name: web}`, rules.ExcludedByName},
		"name in another zone":       {"sidecar", `{}`, `{kind: Dataplane, name: sidecar}`, rules.ExcludedByName},
		"another label":              {"sidecar", `{}`, `{kind: Dataplane, labels: {app: cart}}`, rules.ExcludedByLabels},
		"another tag":                {"sidecar", `{}`, `{kind: MeshSubset, tags: {team: a}}`, rules.ExcludedByTags},
		"another service":            {"sidecar", `{}`, `{kind: MeshService, name: cart}`, rules.ExcludedByTags},
		"another inbound":            {"sidecar", `{}`, `{kind: Dataplane, sectionName: admin}`, rules.ExcludedBySection},
		"nothing to select":          {"empty", `{}`, `{kind: Mesh}`, rules.ExcludedByInbounds},
		"nothing to select by name":  {"empty", `{}`, `{kind: Dataplane, name: empty}`, rules.ExcludedByInbounds},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := fmt.Sprintf("type: MeshTimeout\nname: t\nlabels: %s\nspec: {targetRef: %s}", tt.labels, tt.ref)
			got, err := snapshotOf(t, aMesh, dataplanes, policy).Excluded(timeoutKey("t"), tt.dataplane)
			if err != nil || got != tt.want {
				t.Errorf("Excluded(%q) = %q, %v; want %q", tt.dataplane, got, err, tt.want)
			}
		})
	}
}

func TestExcludedOfNothing(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, aMesh, "type: Dataplane\nname: dp\nnetworking: {address: 10.0.0.1}")
	if _, err := s.Excluded(timeoutKey("none"), "dp"); !errors.Is(err, rules.ErrUnknownPolicy) {
		t.Errorf("of an unknown policy: %v", err)
	}
	if _, err := s.Excluded(timeoutKey("none"), "none"); !errors.Is(err, rules.ErrUnknownDataplane) {
		t.Errorf("for an unknown dataplane: %v", err)
	}
}

func TestResolveReference(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, aMesh, `
type: MeshService
name: cart
labels: {team: shop, kuma.io/display-name: cart, k8s.kuma.io/namespace: ""}
spec:
  ports:
    - {port: 80, name: http}
    - {port: 81}
---
type: MeshService
name: pay
labels: {team: shop}
spec:
  ports: [{port: 80}]
---
type: MeshService
name: k8s
labels: {kuma.io/display-name: cart, k8s.kuma.io/namespace: ns}
spec:
  ports: [{port: 80, name: http}]
`)
	service := func(name, section string) rules.Target {
		return rules.Target{Resource: kuma.Key{Type: "MeshService", Mesh: "default", Name: name}, Section: section}
	}
	for name, tt := range map[string]struct {
		ref  kuma.TargetRef
		port int
		want []rules.Target
	}{
		"by name":        {kuma.TargetRef{Kind: "MeshService", Name: "cart"}, 0, []rules.Target{service("cart", "")}},
		"by labels":      {kuma.TargetRef{Kind: "MeshService", Labels: map[string]string{"team": "shop"}}, 0, []rules.Target{service("cart", ""), service("pay", "")}},
		"section":        {kuma.TargetRef{Kind: "MeshService", Name: "cart", SectionName: "http"}, 0, []rules.Target{service("cart", "http")}},
		"port":           {kuma.TargetRef{Kind: "MeshService", Labels: map[string]string{"team": "shop"}}, 81, []rules.Target{service("cart", "81")}},
		"port of none":   {kuma.TargetRef{Kind: "MeshService", Name: "cart"}, 8080, nil},
		"tag of k8s":     {kuma.TargetRef{Kind: "MeshService", Name: "cart_ns_svc_80"}, 0, []rules.Target{service("k8s", "http")}},
		"tag and port":   {kuma.TargetRef{Kind: "MeshService", Name: "cart_ns_svc"}, 80, []rules.Target{service("k8s", "http")}},
		"nothing":        {kuma.TargetRef{Kind: "MeshService", Name: "none"}, 0, nil},
		"the mesh":       {kuma.TargetRef{Kind: "Mesh"}, 0, []rules.Target{{Resource: kuma.Key{Type: "Mesh", Name: "default"}}}},
		"no destination": {kuma.TargetRef{Kind: "MeshServiceSubset", Name: "cart"}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := s.Resolve(kuma.Resource{Type: "MeshHTTPRoute", Mesh: "default", Name: "r"}, tt.ref, tt.port)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Resolve(%+v, %d) (-want +got):\n%s", tt.ref, tt.port, diff)
			}
		})
	}
	if got := s.Resolve(kuma.Resource{Mesh: "none"}, kuma.TargetRef{Kind: "Mesh"}, 0); got != nil {
		t.Errorf("in an unknown mesh: %v", got)
	}
}

// TestDecided covers matching.md §3.3: any order of references to dataplanes by names can change, except for one.
func TestDecided(t *testing.T) {
	t.Parallel()
	policy := func(name, top string) string {
		return fmt.Sprintf(`
type: MeshTimeout
name: %s
spec:
  targetRef: {kind: %s}
  to:
  - {targetRef: {kind: Mesh}}
  - {targetRef: {kind: MeshService, name: cart}}
  - {targetRef: {kind: MeshService, name: cart, sectionName: http}}
`, name, top)
	}
	s := snapshotOf(t, aMesh, policy("a", "Mesh"), policy("b", "Mesh"), policy("c", "MeshSubset"), policy("neither", "Dataplane"),
		policy("labels", "Dataplane, labels: {app: web}"), policy("name", "Dataplane, name: web"))
	entry := func(name string, i int) rules.Entry { return rules.Entry{Policy: timeoutKey(name), Index: i} }
	for name, tt := range map[string]struct {
		winner, overridden rules.Entry
		policies, entries  string // what decides
	}{
		"equal":                {entry("a", 1), entry("b", 1), "names", "names"},
		"another kind":         {entry("b", 1), entry("a", 0), "names", ""},
		"with a section":       {entry("a", 2), entry("b", 1), "names", ""},
		"another selector":     {entry("c", 1), entry("a", 1), "", ""},
		"the same policy":      {entry("a", 1), entry("a", 1), "", ""},
		"an unknown policy":    {entry("a", 1), entry("z", 1), "", ""},
		"an unknown entry":     {entry("a", 1), entry("b", 7), "names", "names"},
		"name over neither":    {entry("name", 1), entry("neither", 1), "names", "names"},
		"neither over name":    {entry("neither", 1), entry("name", 1), "names, others", "names, others"},
		"neither over labels":  {entry("neither", 1), entry("labels", 1), "names, others", "names, others"},
		"labels over neither":  {entry("labels", 1), entry("neither", 1), "names, others", "names, others"},
		"name over labels":     {entry("name", 1), entry("labels", 1), "", ""},
		"sorted in reverse":    {entry("labels", 1), entry("name", 1), "others", "others"},
		"services over a mesh": {entry("neither", 1), entry("name", 0), "names, others", "others"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for ofTo, want := range map[bool]string{false: tt.policies, true: tt.entries} {
				var got []string
				byNames, byOthers := s.Decided(tt.winner, tt.overridden, ofTo)
				if byNames {
					got = append(got, "names")
				}
				if byOthers {
					got = append(got, "others")
				}
				if strings.Join(got, ", ") != want {
					t.Errorf("decided by %v, want %s", got, want)
				}
			}
		})
	}
}

func TestLeadsNowhere(t *testing.T) {
	t.Parallel()
	const (
		cart = `
type: MeshService
name: cart
spec:
  ports: [{port: 80, name: http}]
`
		proxy = `
type: Dataplane
name: web
networking:
  address: 10.0.0.1
  inbound:
    - port: 80
      tags: {kuma.io/service: web}
`
		nameless = `
type: Dataplane
name: web
networking:
  address: 10.0.0.1
  inbound:
    - {port: 80, tags: {team: a}}
`
		exclusive = "{type: Mesh, name: default, meshServices: {mode: Exclusive}}"
	)
	service := func(name, section string) kuma.TargetRef {
		return kuma.TargetRef{Kind: "MeshService", Name: name, SectionName: section}
	}
	for name, tt := range map[string]struct {
		documents []string
		ref       kuma.TargetRef
		want      bool
	}{
		"service":                     {[]string{aMesh, cart}, service("cart", ""), false},
		"port":                        {[]string{aMesh, cart}, service("cart", "http"), false},
		"no such port":                {[]string{aMesh, cart}, service("cart", "grpc"), true},
		"no such service":             {[]string{aMesh, cart, proxy}, service("gone", ""), true},
		"tag":                         {[]string{aMesh, cart, proxy}, service("web", ""), false},
		"tag with a section":          {[]string{aMesh, cart, proxy}, service("web", "http"), false},
		"tag where they do not count": {[]string{exclusive, proxy}, service("web", ""), true},
		"labels":                      {[]string{aMesh, proxy}, kuma.TargetRef{Kind: "MeshService", Labels: map[string]string{"app": "x"}}, true},
		"nothing is known":            {[]string{aMesh}, service("gone", ""), false},
		"proxies without services":    {[]string{aMesh, nameless}, service("gone", ""), false},
		"external service":            {[]string{aMesh}, kuma.TargetRef{Kind: "MeshExternalService", Name: "gone"}, true},
		"route":                       {[]string{aMesh}, kuma.TargetRef{Kind: "MeshHTTPRoute", Name: "gone"}, true},
		"no destination":              {[]string{aMesh}, kuma.TargetRef{Kind: "MeshSubset"}, false},
		"no mesh":                     {nil, service("web", ""), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := kuma.Resource{Type: "MeshTimeout", Mesh: "default", Name: "t"}
			if got := snapshotOf(t, tt.documents...).IsDangling(policy, tt.ref); got != tt.want {
				t.Errorf("IsDangling(%v) = %t, want %t", tt.ref, got, tt.want)
			}
		})
	}
}

func TestSelectorIsDangling(t *testing.T) {
	t.Parallel()
	const (
		dataplane = "{type: Dataplane, name: web-4x7, labels: {kuma.io/display-name: web}, networking: {address: 10.0.0.1}}"
		gateway   = "{type: MeshGateway, name: edge, conf: {}}"
		route     = "{type: MeshHTTPRoute, name: r, spec: {}}"
	)
	s := snapshotOf(t, aMesh, dataplane, gateway, route)
	for name, tt := range map[string]struct {
		mesh, ref string
		want      bool
	}{
		"dataplane":                 {"default", `{kind: Dataplane, name: web}`, false},
		"resource name":             {"default", `{kind: Dataplane, name: web-4x7}`, true},
		"missing dataplane":         {"default", `{kind: Dataplane, name: api}`, true},
		"gateway":                   {"default", `{kind: MeshGateway, name: edge}`, false},
		"missing gateway":           {"default", `{kind: MeshGateway, name: web}`, true},
		"route":                     {"default", `{kind: MeshHTTPRoute, name: r}`, false},
		"missing route":             {"default", `{kind: MeshHTTPRoute, name: edge}`, true},
		"labels are not looked up":  {"default", `{kind: Dataplane, labels: {app: api}}`, false},
		"tags are not looked up":    {"default", `{kind: MeshSubset, tags: {team: a}}`, false},
		"a service is not a proxy":  {"default", `{kind: MeshService, name: gone}`, false},
		"an unknown mesh has none":  {"other", `{kind: Dataplane, name: api}`, false},
		"the mesh is not looked up": {"default", `{kind: Mesh}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := testworld.Resource(t, "{type: MeshTimeout, mesh: "+tt.mesh+", name: t, spec: {targetRef: "+tt.ref+"}}")
			if got := s.SelectorIsDangling(&policy); got != tt.want {
				t.Errorf("SelectorIsDangling(%s) = %t, want %t", tt.ref, got, tt.want)
			}
		})
	}
}
