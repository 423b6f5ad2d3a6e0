package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const routedWorld = `
type: Mesh
name: m
meshServices: {mode: Exclusive}
---
type: Dataplane
mesh: m
name: dp
labels: {kuma.io/zone: zone-1}
networking:
  address: 10.0.0.1
  inbound:
    - port: 80
      name: main
      tags: {kuma.io/service: web}
    - {port: 81, name: "82"}
    - {port: 82}
    - {port: 83}
    - {port: 84}
  listeners:
    - {type: ZoneEgress, address: 10.0.0.2, port: 84}
    - {type: ZoneEgress, address: 10.0.0.2, port: 85}
---
type: MeshService
mesh: m
name: web
labels: {kuma.io/zone: zone-1}
spec:
  selector:
    dataplaneTags: {kuma.io/service: web}
  ports:
    - {port: 80, name: http}
---
type: MeshGateway
mesh: m
name: g
labels: {kuma.io/zone: zone-1}
selectors:
  - match: {kuma.io/service: "*"}
conf:
  listeners:
    - {port: 83, protocol: HTTP}
---
type: MeshExternalService
mesh: m
name: ext
labels: {kuma.io/zone: zone-1}
spec:
  match: {type: HostnameGenerator, port: 443, protocol: http}
  endpoints:
    - {address: example.com, port: 443}
---
type: MeshHTTPRoute
mesh: m
name: empty
labels: {kuma.io/zone: zone-1}
spec:
  to:
    - targetRef: {kind: MeshExternalService, name: ext}
      rules: []
---
type: MeshHTTPRoute
mesh: m
name: r
labels: {kuma.io/zone: zone-1}
spec:
  to:
    - targetRef: {kind: MeshService, name: web}
      rules:
        - matches: [{method: GET}]
          default: {filters: []}
---
type: MeshTimeout
mesh: m
name: t
labels: {kuma.io/zone: zone-1}
spec:
  to:
    - targetRef: {kind: MeshService, name: web}
      default: {idleTimeout: 3s}
    - targetRef: {kind: MeshHTTPRoute, name: r}
      default: {http: {requestTimeout: 1s}}
---
type: MeshTimeout
mesh: m
name: u
labels: {kuma.io/zone: zone-1}
spec:
  rules:
    - {default: {idleTimeout: 4s}}
    - {default: {idleTimeout: 5s}}
---
type: MeshMetric
mesh: m
name: x
labels: {kuma.io/zone: zone-1}
spec:
  default:
    sidecar: {includeUnused: true}
`

// routedAnswers are what a control plane 2.14 answered about the world, by path.
var routedAnswers = map[string]string{
	"_layout": `{"inbounds":[{"kri":"kri_dp_m_zone-1__dp_main","port":80},{"kri":"kri_dp_m_zone-1__dp_82","port":81},{"kri":"kri_dp_m_zone-1__dp_82","port":82},{"kri":"kri_dp_m_zone-1__dp_83","port":83},{"kri":"kri_dp_m_zone-1__dp_84","port":84}],
		"listeners":[{"kri":"kri_dp_m_zone-1__dp_84","port":84,"type":"ZoneEgress"},{"kri":"kri_dp_m_zone-1__dp_85","port":85,"type":"ZoneEgress"}],
		"outbounds":[{"kri":"kri_extsvc_m_zone-1__ext_443","port":443,"protocol":"http"},{"kri":"kri_msvc_m_zone-1__web_http","port":80,"protocol":"tcp"}]}`,
	"_outbounds/kri_extsvc_m_zone-1__ext_443/_policies": `{"policies":[{"conf":[{}],"kind":"MeshHTTPRoute","origins":[{"kri":"kri_mhttpr_m_zone-1__empty_"}]}]}`,
	"_outbounds/kri_extsvc_m_zone-1__ext_443/_routes":   `{"routes":[{"kind":"MeshHTTPRoute","origins":[{"kri":"kri_mhttpr_m_zone-1__empty_"}],"rules":null}]}`,
	"_policies": `{"policies":[{"kind":"MeshMetric","conf":{"sidecar":{"includeUnused":true}},"origins":[{"kri":"kri_mm_m_zone-1__x_"}]}]}`,
	"_inbounds/kri_dp_m_zone-1__dp_main/_policies": `{"policies":[{"kind":"MeshTimeout","origins":[{"kri":"kri_mt_m_zone-1__u_"}],
		"rules":[{"conf":{"idleTimeout":"4s"},"kri":"kri_mt_m_zone-1__u_"},{"conf":{"idleTimeout":"5s"},"kri":"kri_mt_m_zone-1__u_"}]}]}`,
	"_inbounds/kri_dp_m_zone-1__dp_85/_policies": `{"policies":[{"kind":"MeshTimeout","origins":[{"kri":"kri_mt_m_zone-1__u_"}],
		"rules":[{"conf":{"idleTimeout":"4s"},"kri":"kri_mt_m_zone-1__u_"},{"conf":{"idleTimeout":"5s"},"kri":"kri_mt_m_zone-1__u_"}]}]}`,
	"_outbounds/kri_msvc_m_zone-1__web_http/_policies": `{"policies":[
		{"kind":"MeshHTTPRoute","conf":[{"rules":[{"matches":[{"method":"GET"}],"default":{"filters":[]}}]}],"origins":[{"kri":"kri_mhttpr_m_zone-1__r_"}]},
		{"kind":"MeshTimeout","conf":[{"idleTimeout":"3s"}],"origins":[{"kri":"kri_mt_m_zone-1__t_"}]}]}`,
	"_outbounds/kri_msvc_m_zone-1__web_http/_routes": `{"routes":[{"kind":"MeshHTTPRoute","origins":[{"kri":"kri_mhttpr_m_zone-1__r_"}],
		"rules":[{"conf":{"filters":[]},"kri":"kri_mhttpr_m_zone-1__r_","matches":[{"method":"GET"}]}]}]}`,
	"_outbounds/kri_msvc_m_zone-1__web_http/_routes/kri_mhttpr_m_zone-1__r_/_policies": `{"policies":[{"kind":"MeshTimeout","conf":[{"http":{"requestTimeout":"1s"}}],"origins":[{"kri":"kri_mt_m_zone-1__t_"}]}]}`,
}

// TestLookups compares the engine with recorded answers, and with each of them
// changed.
func TestLookups(t *testing.T) {
	t.Parallel()
	snapshot := rules.NewSnapshot(testworld.Resources(t, routedWorld))
	answer, err := snapshot.Dataplane("m", "dp")
	testworld.NoError(t, err)
	changed := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/meshes/m/dataplanes/dp/")
		text, ok := routedAnswers[path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if path == changed {
			text = strings.ReplaceAll(text, `"origins":[`, `"origins":[{"kri":"kri_mt_m___other_"},`)
			text = strings.ReplaceAll(text, `"protocol":"tcp"`, `"protocol":"http"`)
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%s is not valid JSON", path)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	compare := func() lookups {
		l := lookups{
			site: &oracle.Site{Endpoint: server.URL}, snapshot: snapshot, dataplane: *snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: "m", Name: "dp"}),
			gateways: snapshot.Resources("m", kuma.KindMeshGateway), answer: answer,
		}
		testworld.NoError(t, l.compare(t.Context()))
		return l
	}
	equal := compare()
	if diff := cmp.Diff([]string(nil), equal.places); diff != "" || equal.compared != len(routedAnswers) || equal.ambiguous != 5 {
		t.Errorf("%d compared, %d ambiguous; differences (-want +got):\n%s", equal.compared, equal.ambiguous, diff)
	}
	for path := range routedAnswers {
		changed = path
		first, _, _ := strings.Cut(path, "/")
		places := compare().places
		if len(places) == 0 || slices.ContainsFunc(places, func(p string) bool { return !strings.HasPrefix(p, first) }) {
			t.Errorf("%s names another policy, found: %q", path, places)
		}
	}
}

// TestRoutesWithEqualMatches checks that of routes with the same matches, the one with
// the highest precedence is named, also in the rules for other host names. A control
// plane 2.14 named a for both rules.
func TestRoutesWithEqualMatches(t *testing.T) {
	t.Parallel()
	const world = `
type: Mesh
name: m
meshServices: {mode: Exclusive}
---
type: MeshGateway
mesh: m
name: g
selectors:
  - match: {kuma.io/service: edge}
conf:
  listeners:
    - {port: 8080, protocol: HTTP}
---
type: Dataplane
mesh: m
name: edge
networking:
  address: 10.0.0.1
  gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}
---
type: MeshHTTPRoute
mesh: m
name: a
spec:
  targetRef: {kind: MeshGateway, name: g}
  to:
    - targetRef: {kind: Mesh}
      hostnames: [a.example]
      rules:
        - matches: [{path: {type: PathPrefix, value: /}}]
          default: {backendRefs: [{kind: MeshService, name: web, port: 80}]}
---
type: MeshHTTPRoute
mesh: m
name: b
spec:
  targetRef: {kind: MeshGateway, name: g}
  to:
    - targetRef: {kind: Mesh}
      hostnames: [b.example]
      rules:
        - matches: [{path: {type: PathPrefix, value: /}}]
          default: {backendRefs: [{kind: MeshService, name: web, port: 80}]}
`
	answer, err := rules.NewSnapshot(testworld.Resources(t, world)).Dataplane("m", "edge")
	testworld.NoError(t, err)
	l := lookups{answer: answer}
	routes := l.routes(rules.Destination{Resource: kuma.ID{Type: kuma.KindMeshService, Mesh: "m", Name: "web"}})
	var kris []string
	for _, r := range routes {
		for _, rule := range tree.Root(r).Get("rules").Items() {
			kri, _ := rule.Get("kri").Text()
			kris = append(kris, kri)
		}
	}
	testworld.Equal(t, "routes", []string{"kri_mhttpr_m___a_", "kri_mhttpr_m___a_"}, kris)
}
