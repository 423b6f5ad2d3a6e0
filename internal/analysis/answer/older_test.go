package answer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// olderMesh reads a mesh with resources of older kinds, and more documents.
func olderMesh(t *testing.T, file, mesh string, more ...string) input.Mesh {
	t.Helper()
	d := input.OfKinds(lint.Kinds())
	for _, text := range append([]string{testworld.Text(t, "testdata/"+file)}, more...) {
		testworld.NoError(t, d.Text([]byte(text)))
	}
	return d.Mesh(mesh, kuma.Release{})
}

// TestRequestsThatOlderKindsDecideAreUnknown checks that requests are not answered by policies
// alone where a TrafficPermission, a TrafficRoute or a MeshGatewayRoute decides. A real control
// plane allows those of a-1, and sends 90% to one of both Dataplanes.
func TestRequestsThatOlderKindsDecideAreUnknown(t *testing.T) {
	t.Parallel()
	const (
		permitted = "\n---\n{type: MeshTrafficPermission, mesh: leg, name: all, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}\n"
		client    = "\n---\n{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.3, inbound: [{port: 80, name: main, protocol: http}], outbound: [{port: 1000, backendRef: {kind: MeshService, name: backend, port: 3001}}]}}\n"
		all       = `
---
{type: Mesh, name: one, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: one, name: a-1, networking: {address: 10.5.0.1, inbound: [{port: 80, tags: {kuma.io/service: a, kuma.io/protocol: http}}], outbound: [{port: 10001, tags: {kuma.io/service: a}}]}}
---
{type: TrafficRoute, mesh: one, name: all, sources: [{match: {kuma.io/service: "*"}}], destinations: [{match: {kuma.io/service: "*"}}], conf: {destination: {kuma.io/service: "*"}}}
---
{type: Retry, mesh: one, name: r, sources: [{match: {kuma.io/service: "*"}}], destinations: [{match: {kuma.io/service: "*"}}], conf: {http: {numRetries: 4}}}
`
	)
	for name, c := range map[string]struct {
		file, mesh, more string
		without          string // kind
		request          request.Request
		verdict, reason  string
		not              string // considered
	}{
		"a route splits":                   {"older-kinds", "leg", "", "", request.Request{Dataplane: "a-1", Service: request.Service{Name: "b"}}, "unknown", "depends on TrafficRoute all and split", ""},
		"permissions decide":               {"older-kinds", "leg", "", "TrafficRoute", request.Request{Dataplane: "a-1", Service: request.Service{Name: "b"}}, "unknown", "depends on TrafficPermission a-to-b and ext", "FaultInjection fi"},
		"neither":                          {"older-kinds", "leg", permitted, "TrafficRoute", request.Request{Dataplane: "a-1", Service: request.Service{Name: "b"}}, "allowed", "", "RateLimit rl"},
		"an ExternalService":               {"older-kinds", "leg", permitted, "TrafficRoute", request.Request{Dataplane: "a-1", Service: request.Service{Name: "ext"}}, "unknown", "ExternalService ext provides the service", ""},
		"only the SPIFFE ID is known":      {"older-kinds", "leg", "", "", request.Request{SPIFFEID: "spiffe://leg/a", Service: request.Service{Name: "b"}}, "unknown", "depends on TrafficPermission a-to-b and ext", ""},
		"a gateway with routes":            {"older-kinds", "leg", permitted, "", request.Request{Dataplane: "gw-1", Service: request.Service{Host: "x.example", Port: 8080}}, "unknown", "depends on MeshGatewayRoute gwr", ""},
		"a gateway without MeshHTTPRoutes": {"gateway-route-older-kind", "mgr", "", "", request.Request{Dataplane: "front-1", Service: request.Service{Host: "x.example", Port: 8080}}, "unknown", "depends on MeshGatewayRoute r", ""},
		"a route for all":                  {"older-kinds", "one", all, "", request.Request{Dataplane: "a-1", Service: request.Service{Name: "a"}}, "allowed", "", "Retry r"},
		"a limit":                          {"older-rate-limit", "shop", client, "", request.Request{Dataplane: "web-1", Service: request.Service{Name: "backend"}}, "allowed", "", "RateLimit rl1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.request.Mesh = c.mesh
			mesh := olderMesh(t, c.file+".yaml", c.mesh, c.more)
			mesh.Resources = slices.DeleteFunc(mesh.Resources, func(r kuma.Resource) bool { return r.Type == c.without })
			a, err := answer.OfRequest(mesh, c.request)
			testworld.NoError(t, err)
			text := a.Explanation
			if a.Verdict != c.verdict || !strings.Contains(text, c.reason) || !strings.Contains(fmt.Sprint(a.NotConsidered), c.not) {
				t.Errorf("%s, not considered %q:\n%s\nwant %s, %q, %q", a.Verdict, a.NotConsidered, text, c.verdict, c.reason, c.not)
			}
		})
	}
}

// TestAccessThatOlderPermissionsDecideIsUndecided checks that clients are not refused by default
// where TrafficPermissions decide.
func TestAccessThatOlderPermissionsDecideIsUndecided(t *testing.T) {
	t.Parallel()
	a, err := answer.OfAccess(olderMesh(t, "older-kinds.yaml", "leg"), access.Filter{}, true)
	testworld.NoError(t, err)
	if a.Counts.Refused > 0 || a.Counts.Allowed > 0 || a.Counts.Undecided == 0 {
		t.Errorf("%+v\n%s\n%s", a.Counts, a.Matrix, a.Summary)
	}
}

// TestImpactNamesOlderKinds checks that an impact says which resources it does not compare.
func TestImpactNamesOlderKinds(t *testing.T) {
	t.Parallel()
	before := olderMesh(t, "older-kinds.yaml", "leg")
	after := olderMesh(t, "older-kinds.yaml", "leg", `{type: TrafficRoute, mesh: leg, name: split, conf: {destination: {kuma.io/service: c}}}`)
	for _, c := range []struct {
		after input.Mesh
		want  string
	}{
		{before, "Not considered: CircuitBreaker cb, ExternalService ext, "},
		{after, "Not considered, although changed: TrafficRoute split. "},
	} {
		i, err := answer.OfImpact(before, c.after, nil, true)
		testworld.NoError(t, err)
		if !strings.Contains(i.Summary, c.want) || i.Any() != strings.Contains(i.Summary, "it is not known") {
			t.Errorf("the summary does not contain %q:\n%s", c.want, i.Summary)
		}
	}
}

// TestLintNamesOlderKinds checks that the linter says which resources it does not analyze, and
// finds nothing that is wrong because of them.
func TestLintNamesOlderKinds(t *testing.T) {
	t.Parallel()
	for mesh, file := range map[string]string{"leg": "older-kinds.yaml", "shop": "older-rate-limit.yaml", "mgr": "gateway-route-older-kind.yaml"} {
		found := answer.OfLint(olderMesh(t, file, mesh), false, nil, true)
		found.Findings = slices.DeleteFunc(found.Findings, func(f answer.Finding) bool { return f.Code == "deprecated" })
		if len(found.Findings) != 1 || found.Findings[0].Code != "older-kinds" {
			t.Errorf("%s: %+v", mesh, found.Findings)
		}
	}
}
