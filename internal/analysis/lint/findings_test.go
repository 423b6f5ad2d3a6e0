package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Documents that the worlds below are made of.
const (
	anExclusiveMesh = "{type: Mesh, name: default, meshServices: {mode: Exclusive}}"
	web             = `
type: Dataplane
name: web-1
labels: {app: web}
networking:
  address: 10.0.0.1
  inbound:
    - port: 8080
      name: http
      tags: {kuma.io/service: web, version: v1}
`
	batch = `
type: Dataplane
name: batch-1
labels: {app: batch}
networking:
  address: 10.0.0.2
  inbound:
    - port: 8080
      tags: {kuma.io/service: batch}
`
	payments = `
type: MeshService
name: payments
labels: {app: payments}
spec:
  ports: [{port: 80, name: http}]
`
	aRoute = `
type: MeshHTTPRoute
name: r
labels: {app: payments}
spec:
  to:
    - targetRef: {kind: MeshService, name: payments}
      rules:
        - matches:
            - {path: {type: PathPrefix, value: /}}
          default:
            backendRefs:
              - {kind: MeshService, name: payments, port: 80}
`
)

// timeout is a MeshTimeout with members of its spec.
func timeout(name, members string) string {
	return fmt.Sprintf("{type: MeshTimeout, name: %s, spec: {%s}}", name, members)
}

// to is an entry of `to` with a request timeout.
func to(ref, requestTimeout string) string {
	return fmt.Sprintf("{targetRef: %s, default: {http: {requestTimeout: %s}}}", ref, requestTimeout)
}

// routeTo is a MeshHTTPRoute that sends everything to one backend.
func routeTo(backend string) string {
	return fmt.Sprintf("{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: Mesh}, rules: [{matches: [], default: {backendRefs: [%s]}}]}]}}", backend)
}

// TestFindings lists what is found in small worlds: code, name and place.
func TestFindings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code string // findings of other codes are left out
		docs []string
		want string
	}{
		"name that is a tag":           {"dangling-target", []string{web, payments, timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, ""},
		"name that is a tag no more":   {"dangling-target", []string{anExclusiveMesh, web, payments, timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"name in a mesh without tags":  {"dangling-target", []string{timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, ""},
		"labels of nothing":            {"dangling-target", []string{payments, timeout("t", "to: ["+to("{kind: MeshService, labels: {app: x}}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"external service of nothing":  {"dangling-target", []string{timeout("t", "to: ["+to("{kind: MeshExternalService, name: x}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"route of nothing":             {"dangling-target", []string{timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: x}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"route at the top, of nothing": {"dangling-target", []string{web, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: x}")}, "t spec.targetRef"},
		"proxy of nothing":             {"dangling-target", []string{web, timeout("t", "targetRef: {kind: Dataplane, name: x}")}, "t spec.targetRef"},
		"proxy that exists":            {"dangling-target", []string{web, timeout("t", "targetRef: {kind: Dataplane, name: web-1}")}, ""},
		"shadow": {"dangling-target", []string{`
type: MeshTimeout
name: t
labels: {kuma.io/effect: shadow}
spec:
  targetRef: {kind: MeshGateway, name: x}
`}, ""},
		"entries of no destination": {"dangling-target", []string{timeout("t", "to: [{targetRef: {kind: MeshSubset, tags: {a: b}}}, {targetRef: web}, {}]")}, ""},

		"section of a route's backend":  {"dangling-section", []string{payments, routeTo("{kind: MeshService, name: payments, sectionName: grpc}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"number of a named port":        {"dangling-section", []string{payments, timeout("t", "to: ["+to("{kind: MeshService, name: payments, sectionName: '80'}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"section of nothing":            {"dangling-section", []string{payments, timeout("t", "to: ["+to("{kind: MeshService, name: x, sectionName: http}", "1s")+"]")}, ""},
		"port of a service without any": {"dangling-section", []string{"{type: MeshService, name: x, spec: {}}", routeTo("{kind: MeshService, name: x, port: 80}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},

		"subset that exists":         {"dangling-backend", []string{web, routeTo("{kind: MeshServiceSubset, name: web, tags: {version: v1}}")}, ""},
		"subset of nothing":          {"dangling-backend", []string{web, routeTo("{kind: MeshServiceSubset, name: web, tags: {version: v2}}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"subset where tags are gone": {"dangling-backend", []string{anExclusiveMesh, web, routeTo("{kind: MeshServiceSubset, name: web, tags: {version: v1}}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"tag as backend":             {"dangling-backend", []string{web, routeTo("{kind: MeshService, name: web}")}, ""},
		"tag where tags are gone":    {"dangling-backend", []string{anExclusiveMesh, web, routeTo("{kind: MeshService, name: web}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"unknown tags":               {"dangling-backend", []string{routeTo("{kind: MeshService, name: web}")}, ""},
		"mirror to nothing": {"dangling-backend", []string{payments, `
type: MeshHTTPRoute
name: r
spec:
  to:
    - rules:
        - default:
            filters:
              - type: RequestMirror
                requestMirror:
                  backendRef: {kind: MeshService, name: x, port: 80}
`}, "r spec.to[0].rules[0].default.filters[0].requestMirror.backendRef"},
		"backend of a TCP route": {"dangling-backend", []string{`
type: MeshTCPRoute
name: r
spec:
  to:
    - rules:
        - default:
            backendRefs:
              - {kind: MeshExternalService, name: x}
`}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"reference without a kind":    {"dangling-backend", []string{routeTo("{name: x}")}, ""},
		"several external services":   {"ambiguous-backend", []string{"{type: MeshExternalService, name: a, labels: {app: x}, spec: {}}", "{type: MeshExternalService, name: b, labels: {app: x}, spec: {}}", routeTo("{kind: MeshExternalService, labels: {app: x}}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"several targets are allowed": {"ambiguous-backend", []string{payments, "{type: MeshService, name: p2, labels: {app: payments}, spec: {}}", timeout("t", "to: ["+to("{kind: MeshService, labels: {app: payments}}", "1s")+"]")}, ""},

		"no proxies at all":  {"selects-no-proxy", []string{timeout("t", "targetRef: {kind: Dataplane, labels: {app: x}}")}, ""},
		"proxies of another": {"selects-no-proxy", []string{web, timeout("t", "targetRef: {kind: Dataplane, labels: {app: x}}"), timeout("u", "targetRef: {kind: MeshSubset, tags: {version: v1}}")}, "t spec.targetRef"},
		"proxies of another zone": {"selects-no-proxy", []string{`
type: Dataplane
name: dp
labels: {kuma.io/origin: zone, kuma.io/zone: east}
networking:
  address: 10.0.0.1
  inbound: [{port: 80}]
`, "{type: MeshTimeout, name: t, labels: {kuma.io/origin: zone, kuma.io/zone: west}, spec: {}}"}, "t "},
		"proxies of the route": {"selects-no-proxy", []string{web, `
type: MeshHTTPRoute
name: r
spec:
  targetRef: {kind: Dataplane, labels: {app: x}}
`, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: r}")}, "r spec.targetRef, t spec.targetRef"},
		"came with the mesh": {"selects-no-proxy", []string{web, `
type: MeshTimeout
name: mesh-gateways-timeout-all-default
spec:
  targetRef: {kind: Mesh, proxyTypes: [Gateway]}
`}, ""},
		"dangling is another thing": {"selects-no-proxy", []string{web, timeout("t", "targetRef: {kind: MeshGateway, name: x}")}, ""},

		"one of two routes is met":  {"disjoint-proxies", []string{web, batch, payments, aRoute, testworld.Edited(t, aRoute, "name: r\n", "name: s\n", "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: batch}}\n"), timeout("t", "targetRef: {kind: Dataplane, labels: {app: web}}, to: ["+to("{kind: MeshHTTPRoute, labels: {app: payments}}", "1s")+"]")}, ""},
		"route for other proxies":   {"disjoint-proxies", []string{web, batch, payments, testworld.Edited(t, aRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: batch}}\n"), timeout("t", "targetRef: {kind: Dataplane, labels: {app: web}}, to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"route for no proxy":        {"disjoint-proxies", []string{web, payments, testworld.Edited(t, aRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: x}}\n"), timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"policy selects by a route": {"disjoint-proxies", []string{web, payments, aRoute, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: r}, to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, ""},

		"weaker default": {"overridden-everywhere", []string{web, `
type: MeshTrace
name: b
spec:
  default: {tags: []}
`, `
type: MeshTrace
name: a
spec:
  default:
    tags: [{name: x, literal: y}]
`}, "b spec.default"},
		"earlier entry":           {"overridden-everywhere", []string{web, timeout("t", "to: ["+to("{kind: Mesh}", "1s")+", "+to("{kind: Mesh}", "2s")+"]")}, "t spec.to[0]"},
		"weaker from":             {"overridden-everywhere", []string{web, timeout("b", "from: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "from: ["+to("{kind: Mesh}", "2s")+"]")}, "b spec.from[0]"},
		"rules are not merged":    {"overridden-everywhere", []string{web, timeout("b", "rules: [{default: {idleTimeout: 1s}}]"), timeout("a", "rules: [{default: {idleTimeout: 2s}}]")}, ""},
		"holds for another proxy": {"overridden-everywhere", []string{web, batch, timeout("b", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "targetRef: {kind: Dataplane, labels: {app: web}}, to: ["+to("{kind: Mesh}", "2s")+"]")}, ""},
		"nobody wrote it":         {"overridden-everywhere", []string{web, timeout("mesh-timeout-all-default", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "to: ["+to("{kind: Mesh}", "2s")+"]")}, ""},

		"tie of from": {"decided-by-name", []string{web, timeout("b", "from: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "from: ["+to("{kind: Mesh}", "2s")+"]")}, "b spec.from[0]"},
		"tie of proxies": {"decided-by-name", []string{web, `
type: MeshTrace
name: b
spec:
  default: {tags: []}
`, `
type: MeshTrace
name: a
spec:
  default:
    tags: [{name: x, literal: y}]
`}, "b spec.default"},
		"tie of routes":            {"decided-by-name", []string{web, payments, aRoute, strings.NewReplacer("name: r", "name: s", "port: 80}", "port: 80, weight: 2}").Replace(aRoute)}, "s spec.to[0]"},
		"same value":               {"decided-by-name", []string{web, timeout("b", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]")}, ""},
		"within a policy":          {"decided-by-name", []string{web, timeout("t", "to: ["+to("{kind: Mesh}", "1s")+", "+to("{kind: Mesh}", "2s")+"]")}, ""},
		"kind of entry decides":    {"decided-by-name", []string{web, payments, timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("b", "to: ["+to("{kind: MeshService, name: payments}", "2s")+"]")}, ""},
		"but not by tag":           {"decided-by-name", []string{web, timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("b", "to: ["+to("{kind: MeshService, name: web}", "2s")+"]")}, "b spec.to[0]"},
		"tag that nobody offers":   {"decided-by-name", []string{web, timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("b", "to: ["+to("{kind: MeshService, name: x}", "2s")+"]")}, ""},
		"origin decides":           {"decided-by-name", []string{web, timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]"), "{type: MeshTimeout, name: b, labels: {kuma.io/origin: zone}, spec: {to: [" + to("{kind: Mesh}", "2s") + "]}}"}, ""},
		"tie that is decided anew": {"decided-by-name", []string{web, timeout("b", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "to: ["+to("{kind: Mesh}", "2s")+"]"), timeout("c", "targetRef: {kind: Dataplane}, to: ["+to("{kind: Mesh}", "3s")+"]")}, ""},

		"lost in another policy":    {"lost-on-route", []string{web, payments, aRoute, timeout("a", "to: ["+to("{kind: MeshService, name: payments, sectionName: http}", "1s")+"]"), timeout("b", "to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]")}, "b spec.to[0]"},
		"kept by an entry for all":  {"lost-on-route", []string{web, payments, aRoute, timeout("a", "to: ["+to("{kind: Mesh}", "5s")+", "+to("{kind: MeshService, name: payments}", "1s")+"]"), timeout("b", "to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]")}, ""},
		"of another service":        {"lost-on-route", []string{web, payments, "{type: MeshService, name: x, spec: {}}", aRoute, timeout("a", "to: ["+to("{kind: MeshService, name: x}", "1s")+"]"), timeout("b", "to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]")}, ""},
		"of proxies without it":     {"lost-on-route", []string{web, batch, payments, testworld.Edited(t, aRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: batch}}\n"), timeout("a", "targetRef: {kind: Dataplane, labels: {app: web}}, to: ["+to("{kind: MeshService, name: payments}", "1s")+", {targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]")}, ""},
		"works for a service alone": {"lost-on-route", []string{web, payments, aRoute, timeout("a", "to: [{targetRef: {kind: MeshService, name: payments}, default: {idleTimeout: 1s}}, "+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, ""},
		"lost as a whole": {"lost-on-route", []string{web, payments, aRoute, `
type: MeshRetry
name: t
spec:
  to:
    - targetRef: {kind: MeshService, name: payments}
      default: {http: {numRetries: 3}}
    - targetRef: {kind: MeshHTTPRoute, name: r}
      default: {grpc: {numRetries: 1}}
`}, "t spec.to[1]"},

		"selected by name": {"shadowed-service-tag", []string{web, `
type: MeshService
name: web
spec:
  selector: {dataplaneRef: {name: web-1}}
`}, ""},
		"selected by labels": {"shadowed-service-tag", []string{web, `
type: MeshService
name: web
spec:
  selector:
    dataplaneLabels: {matchLabels: {app: web}}
`}, ""},
		"not selected": {"shadowed-service-tag", []string{web, `
type: MeshService
name: web
spec:
  selector:
    dataplaneLabels: {matchLabels: {app: x}}
`}, "web spec.selector"},
		"selected by another": {"shadowed-service-tag", []string{web, "{type: MeshService, name: web, spec: {}}", `
type: MeshService
name: web-a
labels: {kuma.io/display-name: web}
spec:
  selector:
    dataplaneTags: {kuma.io/service: web}
`}, ""},
		"another display name": {"shadowed-service-tag", []string{web, "{type: MeshService, name: web, labels: {kuma.io/display-name: x}, spec: {}}"}, ""},
		"tag of a gateway": {"shadowed-service-tag", []string{`
type: Dataplane
name: edge-1
networking:
  gateway: {tags: {kuma.io/service: edge}}
`, "{type: MeshService, name: edge, spec: {}}"}, "edge spec.selector"},

		"member without a warning": {"deprecated", []string{"{type: Dataplane, name: dp, networking: {address: 10.0.0.1}, probes: {port: 9000}}"}, "dp probes"},
		"deprecated at birth":      {"deprecated", []string{timeout("mesh-timeout-all-default", "from: ["+to("{kind: Mesh}", "1s")+"]")}, ""},
		"name for a server":        {"questionable", []string{"{type: MeshService, name: 1web, spec: {}}"}, "1web name, 1web spec.ports, 1web spec.selector"},
		"no document of its kind":  {"harmful", []string{timeout("t", "to: {}")}, ""},
		"what a mesh comes with": {"questionable", []string{`
type: MeshRetry
name: mesh-retry-all-default
spec:
  to:
    - targetRef: {kind: Mesh}
      default:
        http:
          numRetries: 5
          backOff: {maxInterval: 250ms}
`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range findingsOf(tt.code, lint.Mesh(snapshotOf(t, tt.docs...), kuma.DefaultMesh)) {
				got = append(got, f.Resource.Name+" "+f.Path.String())
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.code, diff)
			}
		})
	}
}

// resourcesOf takes documents as they are: some are of a sort that no control
// plane stores.
func resourcesOf(t *testing.T, docs ...string) []kuma.Resource {
	t.Helper()
	return testworld.Resources(t, append([]string{aMesh}, docs...)...)
}

func snapshotOf(t *testing.T, docs ...string) *rules.Snapshot {
	t.Helper()
	return rules.NewSnapshot(resourcesOf(t, docs...))
}

const aMesh = "{type: Mesh, name: default}" // unless the documents have one

// TestMessages shows hints that depend on what else there is.
func TestMessages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		docs []string
		want string // part of the first message
	}{
		"tag that is not addressed":  {[]string{anExclusiveMesh, web, timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, `There is no MeshService "web", so this entry has no effect. It is a value of the tag kuma.io/service, and in this mesh services are addressed as MeshService only.`},
		"namespace that is not its":  {[]string{payments, timeout("t", "to: ["+to("{kind: MeshService, name: payments, namespace: shop}", "1s")+"]")}, `One with that name exists in no zone, but names resolve in no zone and namespace "shop", where the policy belongs.`},
		"name that is not displayed": {[]string{"{type: MeshService, name: pay-4x7, labels: {kuma.io/display-name: pay}, spec: {}}", timeout("t", "to: ["+to("{kind: MeshService, name: pay-4x7}", "1s")+"]")}, `A reference takes the display name, which is "pay" here.`},
		"why no proxy is selected":   {[]string{web, batch, timeout("t", "targetRef: {kind: Dataplane, labels: {app: web}, sectionName: grpc}")}, `it selects no proxy of the mesh, because its targetRef wants a Dataplane with the labels app=web (1 of 2 proxies); its targetRef wants an inbound named "grpc" (1 of 2 proxies).`},
		"route that nobody has":      {[]string{web, payments, testworld.Edited(t, aRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: x}}\n"), timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, `The policy selects web-1 by Mesh. The route selects no proxy, and not web-1, because its targetRef wants a Dataplane with the labels app=x.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findings := lint.Mesh(snapshotOf(t, tt.docs...), kuma.DefaultMesh)
			if len(findings) == 0 || !strings.Contains(findings[0].Message, tt.want) {
				t.Errorf("findings:\n%s\nwant first\n%s", describe(findings), tt.want)
			}
		})
	}
}

// TestOtherMeshes looks at one of two meshes, and at the later of two resources.
func TestOtherMeshes(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, web, `
type: MeshTimeout
mesh: other
name: t
spec:
  targetRef: {kind: MeshGateway, name: x}
`,
		timeout("t", "targetRef: {kind: Dataplane, labels: {app: x}}"), timeout("t", ""))
	if got := describe(lint.Mesh(s, kuma.DefaultMesh)); got != "" {
		t.Errorf("findings in the first mesh:\n%s", got)
	}
	if got := lint.Mesh(s, "other"); len(got) != 1 || got[0].Code != "dangling-target" {
		t.Errorf("findings in the other mesh:\n%s", describe(got))
	}
	if got := lint.Mesh(s, "none"); len(got) != 0 {
		t.Errorf("findings in no mesh: %v", got)
	}
}
