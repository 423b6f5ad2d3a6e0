package command_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestDesign checks statements of the design records about what policies mean, in worlds of
// testdata/design: what rules and request answer. TestGivenWorlds of the oracle compares the requests
// in the same worlds with what control planes generate. Where the records and control planes differ
// (matching.md §14.5), the answer is that of the control plane, and the statement says so.
func TestDesign(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		record, states string
		world          string
		ask            string // arguments of rules or request
		want           string // a part of the answer
	}{
		{
			"000, decision", "targetRef selects proxies, and an entry of to selects outbounds", "routes",
			"request -dataplane frontend-1 -service backend", `request 5s (MeshTimeout "service-and-route")`,
		},
		{
			"000, API", "targetRef may be omitted, and is Mesh then", "routes",
			"request -dataplane frontend-1 -service backend -path /slow", `stream idle 40s (MeshTimeout "idle-of-route")`,
		},
		{
			"000, example 3", "a targetRef limits the entry to some proxies", "routes",
			"request -dataplane reporting-1 -service backend", `request 9s (MeshTimeout "override")`,
		},
		{
			"000, example 4", "an entry for a route applies to its requests", "routes",
			"request -dataplane frontend-1 -service backend -path /slow", `request 12s (MeshTimeout "service-and-route")`,
		},
		{
			"000, example 7", "one policy for a service and a route: requests on the route have the setting of the route", "routes",
			"rules -dataplane frontend-1 -service backend -route slow -type MeshTimeout", "to MeshHTTPRoute \"slow\"\n    http.requestTimeout = 12s ← service-and-route[1]",
		},
		{
			"000, example 7", "and the others that of the service", "routes",
			"rules -dataplane frontend-1 -service backend -type MeshTimeout", "to MeshService \"backend\"\n    http.requestTimeout = 5s ← service-and-route",
		},
		{
			"000, merging", "confs of one route are merged by field", "routes",
			"rules -dataplane frontend-1 -service backend -route slow", "http.streamIdleTimeout = 40s ← idle-of-route",
		},
		{
			"000, merging", "confs of different resources are not merged: the rule of a route does not have those of the service", "routes",
			"rules -dataplane frontend-1 -service backend -route report -type MeshTimeout", "to MeshHTTPRoute \"report\"\n    http.requestTimeout = 7s ← on-report\n",
		},
		{
			"000, merging", "but a proxy falls back to the service for what the route does not set, except for the request timeout", "routes",
			"request -dataplane frontend-1 -service backend -path /report", `stream idle 31s (MeshTimeout "service-and-route")`,
		},
		{
			"000, priority", "on universal, the more specific targetRef wins over Mesh", "routes",
			"rules -dataplane reporting-1 -service backend", "http.requestTimeout = 9s ← override, overrides 5s of service-and-route",
		},
		{
			"000, priority", "a policy for a route wins over one for the service, also if that is more specific about proxies", "routes",
			"request -dataplane reporting-1 -service backend -path /slow", `request 12s (MeshTimeout "service-and-route")`,
		},
		{
			"000, routes of some proxies", "without the route, the setting of the service applies", "routes",
			"request -dataplane reporting-1 -service backend -path /report", `request 9s (MeshTimeout "override")`,
		},
		{
			"000, routes of some proxies", "a policy for a route that a proxy does not have is reported", "routes",
			"rules -dataplane reporting-1", `the settings of on-report for MeshHTTPRoute "report" have no effect on Dataplane "reporting-1"`,
		},
		{
			"000, several to", "a route with several entries is one resource: the policy applies to requests for each service", "routes",
			"request -dataplane frontend-1 -service stock -path /slow", `request 12s (MeshTimeout "service-and-route")`,
		},
		{
			"000, affected policies", "MeshRetry can be set per route", "routes",
			"request -dataplane frontend-1 -service backend -path /report", `Retries: 7 on 5xx (MeshRetry "retries")`,
		},
		{
			"000, affected policies", "and applies to the service elsewhere", "routes",
			"request -dataplane frontend-1 -service backend", `Retries: 2 on 5xx (MeshRetry "retries")`,
		},
		{
			"000, deprecation", "a route as targetRef of a policy still applies to its requests", "tags",
			"request -dataplane client-1 -service backend -path /slow", `request 30s (MeshTimeout "on-route")`,
		},
		{
			"000, deprecation", "and to no others", "tags",
			"request -dataplane client-1 -service backend", `request 20s (MeshTimeout "whole-mesh")`,
		},
		{
			"000, priority", "MeshSubset wins over Mesh", "tags",
			"request -dataplane ui-1 -service backend", `request 4s (MeshTimeout "subset")`,
		},
		{
			"002, labels", "labels apply to each service that has them", "references",
			"request -dataplane client-1 -service green", `request 6s (MeshTimeout "by-labels")`,
		},
		{
			"002, sections", "sectionName applies to one port", "references",
			"rules -dataplane client-1 -type MeshTimeout", "to MeshService \"blue\", port admin\n    connectionTimeout = 2s ← whole-mesh\n    http.requestTimeout = 8s ← one-port, overrides 6s of by-labels",
		},
		{
			"002, sections", "and to no other", "references",
			"request -dataplane client-1 -service blue -port 80", `request 6s (MeshTimeout "by-labels")`,
		},
		{
			"002, missing", "a reference to what does not exist has no effect and is reported", "references",
			"rules -dataplane client-1", `MeshTimeout "missing": to[0] targets MeshService with labels app=red, which does not exist`,
		},
		{
			"002, names", "a name without a MeshService is a value of kuma.io/service", "mixed",
			"request -dataplane client-1 -service legacy", `request 9s (MeshTimeout "by-name")`,
		},
		{
			"002, names", "and of a MeshService otherwise", "mixed",
			"request -dataplane client-1 -service backend", `request 8s (MeshTimeout "by-name")`,
		},
		{
			"003, rules by resource", "an entry for Mesh is a part of the rule of each resource", "references",
			"rules -dataplane client-1 -service green", "connectionTimeout = 2s ← whole-mesh\n    http.requestTimeout = 6s ← by-labels\n    http.streamIdleTimeout = 50s ← whole-mesh",
		},
		{
			"003, rules by resource", "and the rule for Mesh applies to other destinations", "references",
			"rules -dataplane client-1", "to Mesh \"shop\"\n    connectionTimeout = 2s ← whole-mesh",
		},
		{
			"004, gateways", "listeners have tags, and a policy for a MeshGateway with tags applies to theirs", "../cases/gateway-two-listeners",
			"request -dataplane edge-1 -host a.example -port 8443", `request 8s (MeshTimeout "t-https")`,
		},
		{
			"004, gateways", "the answer for a gateway is one for each listener", "../cases/gateway-two-listeners",
			"rules -dataplane edge-1", "port 8443 of MeshGateway \"edge-gateway\", to any service\n    http.requestTimeout = 8s ← t-https",
		},
	} {
		t.Run(s.record+": "+s.states, func(t *testing.T) {
			t.Parallel()
			arguments := append(strings.Fields(s.ask), "-kuma-version", "2.14", filepath.Join("testdata", "design", s.world+".yaml"))
			if out, errs, _ := run(t, "", arguments...); !strings.Contains(out+"\n", s.want) {
				t.Errorf("%s: want %q in\n%s%s", s.ask, s.want, out, errs)
			}
		})
	}
}
