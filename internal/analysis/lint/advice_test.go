package lint_test

import (
	"fmt"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// TestAdviceForTopLevelRoutes follows the advice of top-level-route, deprecated and
// route-entry-by-tags, and compares the timeouts of requests: measured on 2.14.3.
func TestAdviceForTopLevelRoutes(t *testing.T) {
	t.Parallel()
	const (
		base = `{type: Dataplane, name: api-1, networking: {address: 10.0.0.2, inbound: [{port: 8080, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}
---
{type: MeshService, name: api, labels: {app: api}, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, targetPort: 8080, name: main, appProtocol: http}]}}
---
{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [{matches: [{path: {type: PathPrefix, value: /slow}}], default: {backendRefs: [{kind: MeshService, name: api, port: 80}]}}]}]}}
---
{type: Dataplane, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 8080, tags: {kuma.io/service: web}}], outbound: [{port: 9000, %s}]}}`
		byRef     = "backendRef: {kind: MeshService, name: api, port: 80}"
		byTag     = "tags: {kuma.io/service: api}"
		route     = "{kind: MeshHTTPRoute, name: r}"
		anywhere  = "{kind: Mesh}"
		ofService = "{kind: MeshService, name: api}"
	)
	top := timeout("t", "targetRef: "+route+", to: ["+to(anywhere, "30s")+"]")
	entry := timeout("t", "to: ["+to(route, "30s")+"]")
	for name, tt := range map[string]struct {
		outbound         string
		policies         []string
		slow, everything string // timeouts of requests; those of others
	}{
		"top-level, by reference":    {byRef, []string{top}, "15s", "15s"},
		"advice, by reference":       {byRef, []string{entry}, "30s", "15s"},
		"top-level, by tag":          {byTag, []string{top}, "30s", "0s"},
		"entry for the route by tag": {byTag, []string{timeout("t", "to: ["+to(ofService, "5s")+", "+to(route, "30s")+"]")}, "0s", "0s"},
		"advice, by tag":             {byTag, []string{timeout("s", "to: ["+to(ofService, "5s")+"]"), entry}, "5s", "5s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := request.New(snapshotOf(t, append([]string{fmt.Sprintf(base, tt.outbound)}, tt.policies...)...))
			for path, want := range map[string]string{"/slow": tt.slow, "/": tt.everything} {
				answer, err := sim.Send(request.Request{Mesh: kuma.DefaultMesh, Dataplane: "web-1", Service: request.Service{Host: "127.0.0.1", Port: 9000}, Path: path})
				if err != nil || len(answer.Backends) == 0 || answer.Timeouts.Request == nil || answer.Timeouts.Request.Duration.String() != want {
					t.Errorf("%s: %s %s, %+v, want %s, %v", path, answer.Verdict, answer.Reason, answer.Timeouts.Request, want, err)
				}
			}
		})
	}
}
