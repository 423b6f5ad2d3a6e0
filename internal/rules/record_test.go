package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// The tests of this file are the examples of the design record 000 ("Rework of
// Mesh*Routes matching"), in its order and mostly with its names. All documents
// are in Kubernetes format where the record's are. Where the record has $conf1,
// the tests have a conf.

func inBackend(kind, name, spec string) string { return inNamespace("backend-ns", kind, name, spec) }

func inFrontend(kind, name, spec string) string { return inNamespace("frontend-ns", kind, name, spec) }

// inNamespace returns a document in Kubernetes format. The spec is YAML in flow
// style, without its braces.
func inNamespace(namespace, kind, name, spec string) string {
	return `{apiVersion: kuma.io/v1alpha1, kind: ` + kind + `, metadata: {name: ` + name + `, namespace: ` + namespace +
		`, labels: {kuma.io/mesh: default}}, spec: {` + spec + `}}`
}

func proxyIn(namespace, name, tags string) string {
	return inNamespace(namespace, "Dataplane", name,
		`networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {`+tags+`, k8s.kuma.io/namespace: `+namespace+`}}]}`)
}

// theRecord is the mesh of the record's examples: a service with routes in
// backend-ns, and proxies that use it in two other namespaces.
var theRecord = stream(
	aMesh,
	inBackend("MeshService", "backend", `ports: [{port: 80, name: http}]`),
	inBackend("MeshHTTPRoute", "backend-route", `to: [{targetRef: {kind: MeshService, name: backend}}]`),
	inBackend("MeshHTTPRoute", "slow-backend-route", `to: [{targetRef: {kind: MeshService, name: backend}}]`),
	proxyIn("frontend-ns", "ui", `service-type: ui`),
	proxyIn("frontend-ns", "batch", `service-type: batch`),
	proxyIn("other-ns", "other", `service-type: ui`),
)

func requestTimeout(d string) string { return `default: {http: {requestTimeout: ` + d + `}}` }

// TestRecordExamples are the examples 1 to 7 of the comparison of both designs.
func TestRecordExamples(t *testing.T) {
	const (
		onService = `MeshService backend.backend-ns | {"http":{"requestTimeout":"10s"}} | timeout-on-backend.`
		onRoute   = `MeshHTTPRoute backend-route.backend-ns | {"http":{"requestTimeout":"10s"}} | timeout-on-backend.`
	)
	for name, tt := range map[string]struct {
		policy string
		role   kuma.Role
		want   map[string][]string // by dataplane; others get nothing
	}{
		"1. producer timeout to MeshService": {
			policy: inBackend("MeshTimeout", "timeout-on-backend", `to: [{targetRef: {kind: MeshService, name: backend}, `+requestTimeout("10s")+`}]`),
			role:   kuma.RoleProducer,
			want: map[string][]string{
				"ui.frontend-ns":    {onService + `backend-ns#0`},
				"batch.frontend-ns": {onService + `backend-ns#0`},
				"other.other-ns":    {onService + `backend-ns#0`},
			},
		},
		"2. consumer timeout to MeshService": {
			policy: inFrontend("MeshTimeout", "timeout-on-backend", `to: [{targetRef: {kind: MeshService, name: backend, namespace: backend-ns}, `+requestTimeout("10s")+`}]`),
			role:   kuma.RoleConsumer,
			want: map[string][]string{
				"ui.frontend-ns":    {onService + `frontend-ns#0`},
				"batch.frontend-ns": {onService + `frontend-ns#0`},
			},
		},
		"3. consumer timeout to MeshService applied to labeled proxies": {
			policy: inFrontend("MeshTimeout", "timeout-on-backend", `targetRef: {kind: MeshSubset, tags: {service-type: ui}}, `+
				`to: [{targetRef: {kind: MeshService, name: backend, namespace: backend-ns}, `+requestTimeout("10s")+`}]`),
			role: kuma.RoleConsumer,
			want: map[string][]string{"ui.frontend-ns": {onService + `frontend-ns#0`}},
		},
		"4. producer timeout to MeshHTTPRoute": {
			policy: inBackend("MeshTimeout", "timeout-on-backend", `to: [{targetRef: {kind: MeshHTTPRoute, name: backend-route}, `+requestTimeout("10s")+`}]`),
			role:   kuma.RoleProducer,
			want: map[string][]string{
				"ui.frontend-ns":    {onRoute + `backend-ns#0`},
				"batch.frontend-ns": {onRoute + `backend-ns#0`},
				"other.other-ns":    {onRoute + `backend-ns#0`},
			},
		},
		"5. consumer timeout to MeshHTTPRoute": {
			policy: inFrontend("MeshTimeout", "timeout-on-backend", `to: [{targetRef: {kind: MeshHTTPRoute, name: backend-route, namespace: backend-ns}, `+requestTimeout("10s")+`}]`),
			role:   kuma.RoleConsumer,
			want: map[string][]string{
				"ui.frontend-ns":    {onRoute + `frontend-ns#0`},
				"batch.frontend-ns": {onRoute + `frontend-ns#0`},
			},
		},
		"6. consumer timeout to MeshHTTPRoute applied to labeled proxies": {
			policy: inFrontend("MeshTimeout", "timeout-on-backend", `targetRef: {kind: MeshSubset, tags: {service-type: ui}}, `+
				`to: [{targetRef: {kind: MeshHTTPRoute, name: backend-route, namespace: backend-ns}, `+requestTimeout("10s")+`}]`),
			role: kuma.RoleConsumer,
			want: map[string][]string{"ui.frontend-ns": {onRoute + `frontend-ns#0`}},
		},
		"7. consumer timeout to both MeshService and MeshHTTPRoute": {
			policy: inFrontend("MeshTimeout", "timeout-on-backend", `to: [`+
				`{targetRef: {kind: MeshService, name: backend, namespace: backend-ns}, `+requestTimeout("5s")+`}, `+
				`{targetRef: {kind: MeshHTTPRoute, name: slow-backend-route, namespace: backend-ns}, `+requestTimeout("15s")+`}]`),
			role: kuma.RoleConsumer,
			want: map[string][]string{
				"ui.frontend-ns": {
					`MeshService backend.backend-ns | {"http":{"requestTimeout":"5s"}} | timeout-on-backend.frontend-ns#0`,
					`MeshHTTPRoute slow-backend-route.backend-ns | {"http":{"requestTimeout":"15s"}} | timeout-on-backend.frontend-ns#1`,
				},
				"batch.frontend-ns": {
					`MeshService backend.backend-ns | {"http":{"requestTimeout":"5s"}} | timeout-on-backend.frontend-ns#0`,
					`MeshHTTPRoute slow-backend-route.backend-ns | {"http":{"requestTimeout":"15s"}} | timeout-on-backend.frontend-ns#1`,
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := testworld.Resources(t, tt.policy)[0].Role(); got != tt.role {
				t.Errorf("role: got %s, want %s", got, tt.role)
			}
			testworld.Equal(t, "toResourceRules by dataplane", tt.want, timeoutsOfAll(t, theRecord, tt.policy))
		})
	}
}

// timeoutsOfAll returns the resource rules for timeouts of all dataplanes that
// have any.
func timeoutsOfAll(t *testing.T, documents ...string) map[string][]string {
	t.Helper()
	return resourceRulesOfAll(t, "MeshTimeout", documents...)
}

func resourceRulesOfAll(t *testing.T, kind string, documents ...string) map[string][]string {
	t.Helper()
	s := rules.NewSnapshot(testworld.Resources(t, documents...))
	got := map[string][]string{}
	for _, name := range s.Dataplanes("default") {
		r, err := s.Rules("default", name, kind)
		testworld.NoError(t, err)
		if len(r.ToResourceRules) > 0 {
			got[name] = resourceRules(r.ToResourceRules)
		}
	}
	return got
}

// TestRecordRetry is the record's example of a producer's suggestion that a
// consumer overrides in part.
func TestRecordRetry(t *testing.T) {
	const (
		producer = `MeshHTTPRoute backend-route.backend-ns | ` +
			`{"http":{"backOff":{"baseInterval":"10ms","maxInterval":"1s"},"numRetries":3,"retryOn":["500"]}} | producer-retry.backend-ns#0`
		both = `MeshHTTPRoute backend-route.backend-ns | ` +
			`{"http":{"backOff":{"baseInterval":"10ms","maxInterval":"1s"},"numRetries":3,"retryOn":["5xx"]}} | producer-retry.backend-ns#0 consumer-retry.frontend-ns#0`
	)
	got := resourceRulesOfAll(
		t, "MeshRetry", theRecord,
		inBackend("MeshRetry", "producer-retry", `to: [{targetRef: {kind: MeshHTTPRoute, name: backend-route}, `+
			`default: {http: {numRetries: 3, backOff: {baseInterval: 10ms, maxInterval: 1s}, retryOn: ["500"]}}}]`),
		inFrontend("MeshRetry", "consumer-retry", `to: [{targetRef: {kind: MeshHTTPRoute, name: backend-route, namespace: backend-ns}, `+
			`default: {http: {retryOn: ["5xx"]}}}]`))
	want := map[string][]string{"ui.frontend-ns": {both}, "batch.frontend-ns": {both}, "other.other-ns": {producer}}
	testworld.Equal(t, "toResourceRules by dataplane", want, got)
}

// TestRecordMerging is the example of "Merging and applying configurations" and
// of "Overriding configuration": service and route have rules of their own, and
// confs of producer and consumer for one route are merged.
//
// The record's first version of the consumer's policy names the route without
// its namespace. That means a route of frontend-ns, which does not exist
// (matching.md §14, row 9).
func TestRecordMerging(t *testing.T) {
	producers := stream(
		inBackend("MeshTimeout", "timeout-on-backend-service", `to: [{targetRef: {kind: MeshService, name: backend}, default: {idleTimeout: 1h}}]`),
		inBackend("MeshTimeout", "timeout-on-backend-route",
			`to: [{targetRef: {kind: MeshHTTPRoute, name: backend-route}, default: {http: {requestTimeout: 10s, streamIdleTimeout: 20s}}}]`))
	consumer := func(namespace string) string {
		return inFrontend("MeshTimeout", "timeout-on-backend-route", `to: [{targetRef: {kind: MeshHTTPRoute, name: backend-route`+namespace+`}, `+requestTimeout("5s")+`}]`)
	}
	const (
		service   = `MeshService backend.backend-ns | {"idleTimeout":"1h"} | timeout-on-backend-service.backend-ns#0`
		suggested = `MeshHTTPRoute backend-route.backend-ns | {"http":{"requestTimeout":"10s","streamIdleTimeout":"20s"}} | timeout-on-backend-route.backend-ns#0`
		merged    = `MeshHTTPRoute backend-route.backend-ns | {"http":{"requestTimeout":"5s","streamIdleTimeout":"20s"}} | ` +
			`timeout-on-backend-route.backend-ns#0 timeout-on-backend-route.frontend-ns#0`
	)
	for name, tt := range map[string]struct {
		policy string
		want   []string // in frontend-ns
	}{
		"with the namespace of the route":    {consumer(", namespace: backend-ns"), []string{merged, service}},
		"without the namespace of the route": {consumer(""), []string{suggested, service}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[string][]string{"ui.frontend-ns": tt.want, "batch.frontend-ns": tt.want, "other.other-ns": {suggested, service}}
			testworld.Equal(t, "toResourceRules by dataplane", want, timeoutsOfAll(t, theRecord, producers, tt.policy))
		})
	}
}

// TestRecordDisjointProxies checks a route for some proxies and a timeout on it
// for others, which have no effect together: the rule for the route only exists
// on proxies on which no request takes the route.
func TestRecordDisjointProxies(t *testing.T) {
	documents := []string{
		theRecord,
		inBackend("MeshHTTPRoute", "route-to-backend", `targetRef: {kind: MeshSubset, tags: {k8s.kuma.io/namespace: frontend-ns}}, `+
			`to: [{targetRef: {kind: MeshService, name: backend}, rules: [{matches: [{method: GET}], default: {}}]}]`),
		inBackend("MeshTimeout", "timeout-for-backend", `targetRef: {kind: MeshSubset, tags: {k8s.kuma.io/namespace: other-ns}}, `+
			`to: [{targetRef: {kind: MeshHTTPRoute, name: route-to-backend}, `+requestTimeout("1s")+`}]`),
	}
	timeouts := map[string][]string{
		"other.other-ns": {`MeshHTTPRoute route-to-backend.backend-ns | {"http":{"requestTimeout":"1s"}} | timeout-for-backend.backend-ns#0`},
	}
	testworld.Equal(t, "timeouts by dataplane", timeouts, timeoutsOfAll(t, documents...))
	var routed []string
	for dataplane, lines := range resourceRulesOfAll(t, "MeshHTTPRoute", documents...) {
		if strings.Contains(strings.Join(lines, "\n"), "route-to-backend") {
			routed = append(routed, dataplane)
		}
	}
	slices.Sort(routed)
	testworld.Equal(t, "dataplanes with the route", []string{"batch.frontend-ns", "ui.frontend-ns"}, routed)
}

// TestRecordSeveralTo checks that nothing is merged across resources, with a
// route with several destinations, and a policy for each of them and for the
// route.
func TestRecordSeveralTo(t *testing.T) {
	got := timeoutsOfAll(
		t, aMesh, proxyIn("other-ns", "other", `service-type: ui`),
		inBackend("MeshService", "backend", `ports: [{port: 80}]`),
		inBackend("MeshService", "frontend", `ports: [{port: 80}]`),
		inBackend("MeshHTTPRoute", "route-1", `to: [{targetRef: {kind: MeshService, name: backend}, rules: []}, {targetRef: {kind: MeshService, name: frontend}, rules: []}]`),
		inBackend("MeshTimeout", "timeout-on-backend", `to: [`+
			`{targetRef: {kind: MeshService, name: backend}, `+requestTimeout("1s")+`}, `+
			`{targetRef: {kind: MeshService, name: frontend}, `+requestTimeout("2s")+`}, `+
			`{targetRef: {kind: MeshHTTPRoute, name: route-1, namespace: backend-ns}, `+requestTimeout("3s")+`}]`))
	want := map[string][]string{"other.other-ns": {
		`MeshService backend.backend-ns | {"http":{"requestTimeout":"1s"}} | timeout-on-backend.backend-ns#0`,
		`MeshService frontend.backend-ns | {"http":{"requestTimeout":"2s"}} | timeout-on-backend.backend-ns#1`,
		`MeshHTTPRoute route-1.backend-ns | {"http":{"requestTimeout":"3s"}} | timeout-on-backend.backend-ns#2`,
	}}
	testworld.Equal(t, "toResourceRules by dataplane", want, got)
}

// TestRecordPriority are the five levels of "Overriding configuration", from the
// most to the least important, for requests from frontend-ns.
func TestRecordPriority(t *testing.T) {
	world := []string{
		theRecord,
		inFrontend("MeshHTTPRoute", "own-route", `to: [{targetRef: {kind: MeshService, name: backend, namespace: backend-ns}}]`),
	}
	timeout := func(in func(_, _, _ string) string, name, ref, d string) string {
		return in("MeshTimeout", name, `to: [{targetRef: {`+ref+`}, `+requestTimeout(d)+`}]`)
	}
	// A reference to a route of the own namespace by name would make a producer.
	const ownRoute = `kind: MeshHTTPRoute, labels: {kuma.io/display-name: own-route, k8s.kuma.io/namespace: frontend-ns}`
	levels := map[int]string{
		1: timeout(inFrontend, "consumer-on-consumer-route", ownRoute, "5s"),
		2: timeout(inFrontend, "consumer-on-producer-route", `kind: MeshHTTPRoute, name: backend-route, namespace: backend-ns`, "4s"),
		3: timeout(inBackend, "producer-on-producer-route", `kind: MeshHTTPRoute, name: backend-route`, "3s"),
		4: timeout(inFrontend, "consumer-on-service", `kind: MeshService, name: backend, namespace: backend-ns`, "2s"),
		5: timeout(inBackend, "producer-on-service", `kind: MeshService, name: backend`, "1s"),
	}
	var (
		backend       = kuma.ID{Type: "MeshService", Mesh: "default", Namespace: "backend-ns", Name: "backend"}
		producerRoute = kuma.ID{Type: "MeshHTTPRoute", Mesh: "default", Namespace: "backend-ns", Name: "backend-route"}
		consumerRoute = kuma.ID{Type: "MeshHTTPRoute", Mesh: "default", Namespace: "frontend-ns", Name: "own-route"}
	)
	for name, tt := range map[string]struct {
		from   string
		on     kuma.ID // a route
		levels []int
		want   string
		step   rules.Step
		origin string
	}{
		"1. consumer policy on consumer route": {
			"ui.frontend-ns", consumerRoute, []int{1, 2, 3, 4, 5}, "5s", rules.StepRoute, "consumer-on-consumer-route.frontend-ns#0",
		},
		"2. consumer policy on producer route": {
			"ui.frontend-ns", producerRoute,
			[]int{1, 2, 3, 4, 5},
			"4s", rules.StepRoute,
			"producer-on-producer-route.backend-ns#0 consumer-on-producer-route.frontend-ns#0",
		},
		"3. producer policy on producer route": {
			"ui.frontend-ns", producerRoute, []int{3, 4, 5}, "3s", rules.StepRoute, "producer-on-producer-route.backend-ns#0",
		},
		"4. consumer policy on service": {
			"ui.frontend-ns", producerRoute, []int{4, 5}, "2s", rules.StepResource, "producer-on-service.backend-ns#0 consumer-on-service.frontend-ns#0",
		},
		"5. producer policy on service": {
			"ui.frontend-ns", producerRoute, []int{5}, "1s", rules.StepResource, "producer-on-service.backend-ns#0",
		},
		"a consumer route takes nothing from a producer route": {
			"ui.frontend-ns", consumerRoute, []int{2, 3, 4, 5}, "2s", rules.StepResource, "producer-on-service.backend-ns#0 consumer-on-service.frontend-ns#0",
		},
		"route, for a proxy of another namespace": {
			"other.other-ns", producerRoute, []int{1, 2, 3, 4, 5}, "3s", rules.StepRoute, "producer-on-producer-route.backend-ns#0",
		},
		"service, for a proxy of another namespace": {
			"other.other-ns", kuma.ID{}, []int{1, 2, 3, 4, 5}, "1s", rules.StepResource, "producer-on-service.backend-ns#0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := slices.Clone(world)
			for _, l := range tt.levels {
				documents = append(documents, levels[l])
			}
			r := rulesOf(answerFor(t, tt.from, documents...), "MeshTimeout")
			found, ok := r.Lookup(rules.Destination{Resource: backend, Section: "http", Route: tt.on})
			if !ok {
				t.Fatalf("Lookup: no rule, passed %v", found.Passed)
			}
			if got, _ := tree.At(found.Conf[0], tree.Path{"http", "requestTimeout"}).(string); got != tt.want {
				t.Errorf("requestTimeout: got %s, want %s", got, tt.want)
			}
			if found.Step != tt.step {
				t.Errorf("step: got %q, want %q", found.Step, tt.step)
			}
			if got := origins(found.Resource.Origin); got != tt.origin {
				t.Errorf("origin: got %s, want %s", got, tt.origin)
			}
		})
	}
}

// TestRecordConsumerRouteFirst checks the statement "When configuring routes
// consumer route always takes precedence over producer route".
func TestRecordConsumerRouteFirst(t *testing.T) {
	route := func(in func(_, _, _ string) string, name, namespace string) string {
		return in("MeshHTTPRoute", name, `to: [{targetRef: {kind: MeshService, name: backend`+namespace+`}, `+
			`rules: [{matches: [{path: {type: PathPrefix, value: /`+name+`}}], default: {}}]}]`)
	}
	got := resourceRulesOfAll(t, "MeshHTTPRoute", theRecord, route(inBackend, "a", ""), route(inFrontend, "z", ", namespace: backend-ns"))
	printed := func(name string) string {
		return `{"default":{},"matches":[{"path":{"type":"PathPrefix","value":"/` + name + `"}}]}`
	}
	want := map[string]string{
		"ui.frontend-ns": `MeshService backend.backend-ns | {"rules":[` + printed("z") + `,` + printed("a") + `]} | ` +
			`slow-backend-route.backend-ns#0 backend-route.backend-ns#0 a.backend-ns#0 z.frontend-ns#0`,
		"other.other-ns": `MeshService backend.backend-ns | {"rules":[` + printed("a") + `]} | ` +
			`slow-backend-route.backend-ns#0 backend-route.backend-ns#0 a.backend-ns#0`,
	}
	for dataplane, line := range want {
		if diff := cmp.Diff([]string{line}, got[dataplane]); diff != "" {
			t.Errorf("toResourceRules of %s (-want +got):\n%s", dataplane, diff)
		}
	}
}

// TestMixedRoles checks that a policy with entries of both a producer and a
// consumer is rejected, as are `from` and `to` together (matching.md §1.6).
func TestMixedRoles(t *testing.T) {
	for name, spec := range map[string]string{
		"route and mesh": `to: [{targetRef: {kind: MeshHTTPRoute, name: r}}, {targetRef: {kind: Mesh}}]`,
		"from and to":    `to: [{targetRef: {kind: Mesh}}], from: [{targetRef: {kind: Mesh}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Documents(t, inBackend("MeshTimeout", "t", spec))[0]
			if r, err := kuma.FromDocument(doc, kinds.Form); err == nil {
				t.Errorf("FromDocument: got role %s, want an error", r.Role())
			}
		})
	}
}
