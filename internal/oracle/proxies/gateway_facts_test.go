package proxies_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// edge is a builtin gateway with two listeners, of which the second has the tag l: b.
const edge = `---
{type: Dataplane, mesh: MESH, name: edge, networking: {address: 127.0.4.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}
---
{type: MeshGateway, mesh: MESH, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 8080, protocol: HTTP, tags: {l: a}}, {port: 8081, protocol: SECOND, tags: {l: b}}]}}
`

// startWithGateways starts a control plane that supports builtin gateways, which Kuma 3.0 removed.
func startWithGateways(t *testing.T) *oracle.Site {
	t.Helper()
	cp := start(t)
	if cp.Info.Release.Kuma3() {
		t.Skip("Kuma 3.0 has no builtin gateways")
	}
	return cp
}

// onEdge returns a route for the listeners of the gateway.
func onEdge(kind, name, top, list string) string {
	return "---\n{type: " + kind + ", mesh: MESH, name: " + name + ", spec: {targetRef: {" + top + "}, to: [{targetRef: {kind: Mesh}, rules: [" + list + "]}]}}\n"
}

// TestFrozenGateways shows what keeps a builtin gateway from getting any configuration, and
// that the engine says so.
func TestFrozenGateways(t *testing.T) {
	cp := startWithGateways(t)
	const whole, second = "kind: MeshGateway, name: edge", "kind: MeshGateway, name: edge, tags: {l: b}"
	const api, nope = "backendRefs: [{kind: MeshService, labels: {app: api}, port: 80}]", "backendRefs: [{kind: MeshService, labels: {app: nope}, port: 80}]"
	const mirror = "filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, labels: {app: db}, port: 80}}}], "
	const external = `---
{type: MeshExternalService, mesh: MESH, name: ext, labels: {app: ext}, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: 10.9.9.9, port: 8443}]}}
`
	all := onEdge("MeshHTTPRoute", "all", whole, rule(path("PathPrefix", "/"), api))
	toExternal := onEdge("MeshHTTPRoute", "ext", whole, rule(path("Exact", "/x"), "backendRefs: [{kind: MeshExternalService, labels: {app: ext}, port: 443}]"))
	tcp := func(refs string) string {
		return strings.Replace(all+onEdge("MeshTCPRoute", "tcp", second, "{default: {"+refs+"}}"), "SECOND", "TCP", 1)
	}
	for name, tt := range map[string]struct {
		documents string
		protocol  string // of the second listener
		why       string // empty if the gateway gets its configuration
	}{
		"complete":                         {all, "HTTP", ""},
		"a listener without a route":       {onEdge("MeshHTTPRoute", "b", second, rule(path("PathPrefix", "/"), api)), "HTTP", "none is for the one on"},
		"no route at all":                  {"", "HTTP", ""},
		"a rule without backends":          {all + "---\n{type: MeshHTTPRoute, mesh: MESH, name: sidecars, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [" + rule(path("Exact", "/x"), "") + "]}]}}\n", "HTTP", "has neither backends nor a redirect"},
		"such a rule for sidecars":         {all + "---\n{type: MeshHTTPRoute, mesh: MESH, name: sidecars, spec: {targetRef: {kind: Mesh, proxyTypes: [Sidecar]}, to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [" + rule(path("Exact", "/x"), "") + "]}]}}\n", "HTTP", ""},
		"a mirror":                         {all + onEdge("MeshHTTPRoute", "mirror", whole, rule(path("Exact", "/x"), mirror+api)), "HTTP", "mirrors requests"},
		"a backend of HTTP is missing":     {all + onEdge("MeshHTTPRoute", "nope", whole, rule(path("Exact", "/x"), nope)), "HTTP", ""},
		"a backend of TCP is missing":      {tcp(nope), "TCP", "does not exist"},
		"TCP":                              {tcp(api), "TCP", ""},
		"TCP without a route":              {all, "TCP", ""},
		"an external service":              {all + external + toExternal, "HTTP", ""},
		"an external service by an egress": {all + external + toExternal + zoneEgress, "HTTP", "through a zone egress"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mesh := "f" + strings.ReplaceAll(strings.ToLower(name), " ", "-")
			stored := store(t, cp, strings.NewReplacer("MESH", mesh, "SECOND", tt.protocol).Replace(base()+edge+tt.documents))
			if tt.why != "" {
				expectNothing(t, cp, kuma.Resource{Type: kuma.KindDataplane, Mesh: mesh, Name: "edge"})
			} else {
				p, err := proxies.Connect(t.Context(), cp, proxies.Options{Mesh: mesh, Dataplane: "edge"})
				testworld.NoError(t, err)
				defer p.Close()
			}
			for _, port := range []int{8080, 9999} { // a frozen gateway may still have a listener that was removed
				answer, err := simulationOf(cp, stored).Send(engine.Request{Mesh: mesh, Dataplane: "edge", Service: engine.Service{Host: "shop.example", Port: port}})
				if err != nil || (answer.Verdict == engine.Unknown) != (tt.why != "") || !strings.Contains(answer.Reason, tt.why) {
					t.Errorf("the engine, port %d: %s %s, %v", port, answer.Verdict, answer.Reason, err)
				}
			}
		})
	}
}

// TestEqualMatchesOfGateways shows that the control plane puts equal matches of two routes in
// random order if there are many, and that the engine does not decide then.
func TestEqualMatchesOfGateways(t *testing.T) {
	cp := startWithGateways(t)
	documents := strings.NewReplacer("MESH", "m", "SECOND", "TCP").Replace(base() + edge)
	for _, service := range []string{"api", "db"} { // each has matches of its own besides, so that they are not merged
		matches := "{path: {type: Exact, value: /x}}"
		for _, path := range []string{"a", "b", "c"} {
			matches += ", {path: {type: PathPrefix, value: /" + path + service + "}}"
		}
		documents += strings.ReplaceAll(onEdge("MeshHTTPRoute", service, "kind: MeshGateway, name: edge",
			"{matches: ["+matches+"], default: {backendRefs: [{kind: MeshService, labels: {app: "+service+"}, port: 80}]}}"), "MESH", "m")
	}
	stored := store(t, cp, documents)
	answer, err := simulationOf(cp, stored).Send(engine.Request{Mesh: "m", Dataplane: "edge", Service: engine.Service{Host: "shop.example", Port: 8080}, Path: "/x"})
	if err != nil || answer.Verdict != engine.Unknown || !strings.Contains(answer.Reason, "random order") {
		t.Errorf("%s: %s, %v", answer.Verdict, answer.Reason, err)
	}
	p := connect(t, cp, stored)["edge"]
	seen := map[string]bool{}
	for range 200 {
		config, err := p.Config(t.Context())
		testworld.NoError(t, err)
		outcomes, err := config.Send(envoy.Request{Host: "shop.example", Address: "127.0.4.1", Port: 8080, Path: "/x"})
		testworld.NoError(t, err)
		if seen[port(outcomes[0].Cluster)] = true; len(seen) == 2 {
			return
		}
	}
	t.Errorf("the requests always go to %v", seen)
}

// TestSharedClustersOfGateways shows for which backends a TCP listener with the same tags as an
// HTTP listener takes the settings for HTTP away, and that the engine says so.
func TestSharedClustersOfGateways(t *testing.T) {
	cp := startWithGateways(t)
	const external = "---\n{type: MeshExternalService, mesh: MESH, name: shop, labels: {app: shop}, spec: {match: {type: HostnameGenerator, port: 80, protocol: http}, endpoints: [{address: 10.9.9.9, port: 8443}]}}\n"
	service := func(appProtocol string, protocols ...string) string {
		documents := "---\n{type: MeshService, mesh: MESH, name: shop, labels: {app: shop}, spec: {selector: {dataplaneLabels: {matchLabels: {app: shop}}}, ports: [{port: 80, targetPort: 7000, appProtocol: " + appProtocol + "}]}}\n"
		for i, protocol := range protocols {
			documents += fmt.Sprintf("---\n{type: Dataplane, mesh: MESH, name: shop-%d, labels: {app: shop}, networking: {address: 127.0.3.%d, inbound: [{port: 7000, name: main, tags: {kuma.io/service: shop%s}}]}}\n", i, i+1, protocol)
		}
		return documents
	}
	const http, http2, tcp, grpc = ", kuma.io/protocol: http", ", kuma.io/protocol: http2", ", kuma.io/protocol: tcp", ", kuma.io/protocol: grpc"
	for name, tt := range map[string]struct {
		documents string
		idle      string
	}{
		"http":             {service("http", http), "8m0s"},
		"http2":            {service("http2", http2, http2), "8m0s"},
		"tags of http":     {service("tcp", http), "8m0s"},
		"tags of tcp":      {service("http", tcp), "1h0m0s"},
		"grpc":             {service("grpc", grpc), "1h0m0s"},
		"several":          {service("http", http, http2), "1h0m0s"},
		"no tag":           {service("http", ""), "1h0m0s"},
		"no proxies":       {service("http"), "1h0m0s"},
		"external service": {external, "1h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind := "MeshService"
			if tt.documents == external {
				kind = "MeshExternalService"
			}
			const whole = "kind: MeshGateway, name: edge"
			to := "backendRefs: [{kind: " + kind + ", labels: {app: shop}, port: 80}]"
			documents := tt.documents + onEdge("MeshHTTPRoute", "http", whole, rule(path("PathPrefix", "/"), to)) + onEdge("MeshTCPRoute", "tcp", whole, "{default: {"+to+"}}") +
				"---\n{type: MeshTimeout, mesh: MESH, name: idle, spec: {targetRef: {" + whole + "}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 8m}}]}}\n"
			mesh := "s" + strings.ReplaceAll(name, " ", "-")
			gateways := strings.NewReplacer("SECOND", "TCP", "l: b", "l: a").Replace(edge)
			stored := store(t, cp, strings.ReplaceAll(base()+gateways+documents, "MESH", mesh))
			answer, err := simulationOf(cp, stored).Send(engine.Request{Mesh: mesh, Dataplane: "edge", Service: engine.Service{Host: "shop.example", Port: 8080}})
			if err != nil || len(answer.Backends) != 1 || answer.Backends[0].Timeouts.Idle.Duration.String() != tt.idle {
				t.Errorf("the engine: %+v, %v", answer.Backends, err)
			}
			connected := connect(t, cp, stored)
			testworld.NoError(t, oracle.Pause(t.Context(), 2*oracle.Cached))
			eventually(t, connected, func(m envoy.Mesh) string {
				outcomes, err := m.Send("edge", envoy.Request{Host: "shop.example", Address: "127.0.4.1", Port: 8080, Path: "/"})
				if err != nil {
					return err.Error()
				}
				if got := outcomes[0].Timeouts.Idle.String(); got != tt.idle {
					return got
				}
				return ""
			})
		})
	}
}

// TestSettingsOfGatewayRoutes shows which settings of a policy for a route replace those for the
// whole gateway.
func TestSettingsOfGatewayRoutes(t *testing.T) {
	cp := startWithGateways(t)
	setting := func(kind, name, top, conf string) string {
		return "---\n{type: " + kind + ", mesh: m, name: " + name + ", spec: {targetRef: {" + top + "}, to: [{targetRef: {kind: Mesh}, default: {" + conf + "}}]}}\n"
	}
	const whole, off, own = "kind: MeshGateway, name: edge", "kind: MeshHTTPRoute, name: off", "kind: MeshHTTPRoute, name: own"
	documents := strings.NewReplacer("MESH", "m", "SECOND", "TCP").Replace(base() + edge +
		onEdge("MeshHTTPRoute", "rest", whole, rule(path("PathPrefix", "/"), to("api"))) +
		onEdge("MeshHTTPRoute", "off", whole, rule(path("Exact", "/off"), to("api"))) +
		onEdge("MeshHTTPRoute", "own", whole, rule(path("Exact", "/own"), to("api"))))
	documents += setting("MeshRetry", "all", whole, "http: {numRetries: 3}") +
		setting("MeshRetry", "off", off, "http: {numRetries: 0, perTryTimeout: 4s}") +
		setting("MeshRetry", "own", own, "http: {numRetries: 5}") +
		setting("MeshRateLimit", "all", whole, "local: {http: {requestRate: {num: 30, interval: 10s}}, tcp: {connectionRate: {num: 40, interval: 10s}}}") +
		setting("MeshRateLimit", "off", off, "local: {http: {disabled: true}, tcp: {disabled: true}}") +
		setting("MeshRateLimit", "own", own, "local: {http: {requestRate: {num: 50, interval: 10s}}, tcp: {connectionRate: {num: 60, interval: 10s}}}")
	stored := store(t, cp, documents)
	connected := connect(t, cp, stored)
	for path, want := range map[string]string{"/": "3 30 40", "/off": "3 30 40", "/own": "5 50 40"} {
		answer, err := simulationOf(cp, stored).Send(engine.Request{Mesh: "m", Dataplane: "edge", Service: engine.Service{Host: "shop.example", Port: 8080}, Path: path})
		testworld.NoError(t, err)
		if got := fmt.Sprint(answer.Retry.Attempts, answer.Listener.Requests.Number, answer.Listener.Connections.Number); got != want {
			t.Errorf("the engine, %s: %s, want %s", path, got, want)
		}
		eventually(t, connected, func(m envoy.Mesh) string {
			outcomes, err := m.Send("edge", envoy.Request{Host: "shop.example", Address: "127.0.4.1", Port: 8080, Path: path})
			if err != nil {
				return err.Error()
			}
			o := outcomes[0]
			if o.Retry == nil || o.Filters.Requests == nil || o.Filters.Connections == nil {
				return "settings are missing"
			}
			if got := fmt.Sprint(o.Retry.Attempts, o.Filters.Requests.Tokens, o.Filters.Connections.Tokens); got != want {
				return fmt.Sprintf("%s: %s, want %s", path, got, want)
			}
			return ""
		})
	}
}

// TestEntriesOnGateways shows which entries of `to` have an effect on a builtin gateway, and where:
// on requests through a port, and on connections to a backend by resource, api, and one by tags,
// db. The engine says the same.
func TestEntriesOnGateways(t *testing.T) {
	cp := startWithGateways(t)
	const (
		all, a           = "kind: Mesh", "kind: MeshGateway, name: edge, tags: {l: a}"
		mesh, api, db, r = "kind: Mesh", "kind: MeshService, labels: {app: api}", "kind: MeshService, name: db", "kind: MeshHTTPRoute, name: r"
		times            = "connectionTimeout: 3s, http: {requestTimeout: 5s}"
		retries          = "http: {numRetries: 4}"
		logs             = "backends: [{type: File, file: {path: /tmp/x}}]"
		ring             = "loadBalancer: {type: RingHash}, hashPolicies: [{type: Header, header: {name: x}}]"
		header           = "hashPolicies: [{type: Header, header: {name: y}}]"
		breaker          = "connectionLimits: {maxConnections: 4}"
		check            = "interval: 7s, http: {path: /h}"
		fault            = "http: [{abort: {httpStatus: 500, percentage: 3}}]"
		limit            = "local: {http: {requestRate: {num: 30, interval: 10s}}}"
	)
	for name, tt := range map[string]struct {
		kind, top string
		to        []string // targetRef, conf, …
		want      string
	}{
		"timeouts of a listener":      {"MeshTimeout", a, []string{mesh, times}, "8080 api db"},
		"timeouts of a service":       {"MeshTimeout", all, []string{api, times}, "api"},
		"timeouts of a tag":           {"MeshTimeout", all, []string{db, times}, "db"},
		"timeouts of a route":         {"MeshTimeout", all, []string{r, "http: {requestTimeout: 5s}"}, ""},
		"timeouts beside a route":     {"MeshTimeout", all, []string{r, "http: {requestTimeout: 5s}", mesh, times}, "api"},
		"retries of a listener":       {"MeshRetry", a, []string{mesh, retries}, "8080"},
		"retries of a service":        {"MeshRetry", all, []string{api, retries}, ""},
		"retries of a tag":            {"MeshRetry", all, []string{db, retries}, ""},
		"retries of a route":          {"MeshRetry", all, []string{r, retries}, ""},
		"retries beside a route":      {"MeshRetry", all, []string{r, retries, mesh, retries}, ""},
		"logs of a listener":          {"MeshAccessLog", a, []string{mesh, logs}, "8080"},
		"logs of a service":           {"MeshAccessLog", all, []string{api, logs}, ""},
		"logs of a tag":               {"MeshAccessLog", all, []string{db, logs}, ""},
		"logs of a route":             {"MeshAccessLog", all, []string{r, logs}, ""},
		"logs beside a route":         {"MeshAccessLog", all, []string{r, logs, mesh, logs}, ""},
		"load balancing of listeners": {"MeshLoadBalancingStrategy", a, []string{mesh, ring}, "8080 api db"},
		"load balancing of a service": {"MeshLoadBalancingStrategy", all, []string{api, ring}, "api"},
		"load balancing of a tag":     {"MeshLoadBalancingStrategy", all, []string{db, ring}, "8080 8081 db"},
		"load balancing for a route":  {"MeshLoadBalancingStrategy", all, []string{r, header, mesh, ring}, "api"},
		"limits of a listener":        {"MeshCircuitBreaker", a, []string{mesh, breaker}, "api db"},
		"limits of a service":         {"MeshCircuitBreaker", all, []string{api, breaker}, "api"},
		"limits of a tag":             {"MeshCircuitBreaker", all, []string{db, breaker}, "db"},
		"checks of a listener":        {"MeshHealthCheck", a, []string{mesh, check}, "api db"},
		"checks of a service":         {"MeshHealthCheck", all, []string{api, check}, "api"},
		"faults of a listener":        {"MeshFaultInjection", a, []string{mesh, fault}, "8080"},
		"rates of a listener":         {"MeshRateLimit", a, []string{mesh, limit}, "8080"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := "e" + strings.ReplaceAll(name, " ", "-")
			routes := onEdge("MeshHTTPRoute", "r", "kind: MeshGateway, name: edge", rule(path("PathPrefix", "/"), to("api"))+", "+rule(path("PathPrefix", "/tag"), "backendRefs: [{kind: MeshService, name: db}]"))
			stored := store(t, cp, strings.NewReplacer("MESH", m, "SECOND", "HTTP").Replace(base()+edge+routes))
			connect(t, cp, stored)
			testworld.NoError(t, oracle.Pause(t.Context(), 12*time.Second))
			was := partsOfGateway(t, cp, m)
			var entries []string
			for pair := range slices.Chunk(tt.to, 2) {
				entries = append(entries, "{targetRef: {"+pair[0]+"}, default: {"+pair[1]+"}}")
			}
			stored = append(stored, store(t, cp, "{type: "+tt.kind+", mesh: "+m+", name: p, spec: {targetRef: {"+tt.top+"}, to: ["+strings.Join(entries, ", ")+"]}}")...)
			if got := effectOnGateway(t, cp, m, tt.kind, stored); got != tt.want {
				t.Errorf("the engine: %q, want %q", got, tt.want)
			}
			testworld.NoError(t, oracle.Pause(t.Context(), 2*oracle.Cached))
			var changed []string
			for part, is := range partsOfGateway(t, cp, m) {
				if was[part] != is {
					changed = append(changed, part)
				}
			}
			slices.Sort(changed)
			if got := strings.Join(changed, " "); got != tt.want {
				t.Errorf("the gateway: %q, want %q", got, tt.want)
			}
		})
	}
}

// partsOfGateway returns the configuration of the gateway edge: that of each port, and of the
// clusters of api and db.
func partsOfGateway(t *testing.T, cp *oracle.Site, mesh string) map[string]string {
	t.Helper()
	answer, err := cp.Client.ProxyConfig(t.Context(), mesh, "edge", false)
	testworld.NoError(t, err)
	parts := map[string]string{}
	types := tree.Object(answer["xds"])
	for _, of := range slices.Sorted(maps.Keys(types)) {
		all := tree.Object(types[of])
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for part, in := range map[string]string{"8080": "edge:HTTP:8080", "8081": "edge:HTTP:8081", "api": "_msvc_80", "db": "db-"} {
				if strings.Contains(name, in) {
					parts[part] += phrase.JSON(all[name])
				}
			}
		}
	}
	return parts
}

// effectOnGateway returns what the engine says about the policies of a kind.
func effectOnGateway(t *testing.T, cp *oracle.Site, mesh, kind string, resources []kuma.Resource) string {
	t.Helper()
	r, err := rules.NewSnapshotFor(cp.Info.Release, resources).Outline(mesh, "edge", kind)
	testworld.NoError(t, err)
	k, _ := kinds.Find(kind)
	found := map[string]bool{}
	for _, o := range r.Outgoing() {
		for _, of := range o.Rules {
			for _, l := range of.Explain() {
				if k.Policy.Gateway.OfRequests(l.Path) {
					found[fmt.Sprint(o.Listener.Port)] = true
				} else {
					found["db"] = true
				}
			}
		}
		for _, of := range o.Resources {
			if of.ResourceMeta.Name == "api" || of.ResourceMeta.Type == kuma.KindMesh {
				found["api"] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}
