package kinds_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestInitial compares the initial policies of a mesh with those that a control
// plane 2.14 created: its responses to lists, without times and identifiers.
func TestInitial(t *testing.T) {
	t.Parallel()
	stored := func(m kuma.Resource) map[string]any {
		out := map[string]any{}
		for _, r := range kinds.Initial(m, kuma.Newest2()) {
			k, _ := kinds.Find(r.Type)
			if problems := def.Errors(k.Validate(r.Document())); len(problems) > 0 {
				t.Errorf("%s: %+v", r.Name, problems)
			}
			out[r.Name] = k.Store(r, def.StoreContext{ControlPlane: zone, Create: true}).Spec()
		}
		return out
	}
	want := map[string]any{
		"mesh-timeout-all-ml": testworld.Document(t, `{targetRef: {kind: Mesh, proxyTypes: [Sidecar]},
			to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 5s, idleTimeout: 1h0m0s, http: {requestTimeout: 15s, streamIdleTimeout: 30m0s}}}],
			from: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 10s, idleTimeout: 2h0m0s, http: {requestTimeout: 0s, streamIdleTimeout: 1h0m0s, maxStreamDuration: 0s}}}]}`),
		"mesh-gateways-timeout-all-ml": testworld.Document(t, `{targetRef: {kind: Mesh, proxyTypes: [Gateway]},
			to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1h0m0s, http: {streamIdleTimeout: 5s}}}],
			from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 5m0s, http: {streamIdleTimeout: 5s, requestHeadersTimeout: 500ms}}}]}`),
		"mesh-circuit-breaker-all-ml": testworld.Document(t, `{targetRef: {kind: Mesh},
			to: [{targetRef: {kind: Mesh}, default: {connectionLimits: {maxConnections: 1024, maxPendingRequests: 1024, maxRetries: 3, maxRequests: 1024}}}]}`),
		"mesh-retry-all-ml": testworld.Document(t, `{targetRef: {kind: Mesh}, to: [{targetRef: {kind: Mesh}, default: {tcp: {maxConnectAttempt: 5},
			http: {numRetries: 5, perTryTimeout: 16s, backOff: {baseInterval: 25ms, maxInterval: 250ms}},
			grpc: {numRetries: 5, perTryTimeout: 16s, backOff: {baseInterval: 25ms, maxInterval: 250ms}}}}]}`),
	}
	if diff := gocmp.Diff(want, stored(kuma.Resource{Type: "Mesh", Name: "ml"})); diff != "" {
		t.Errorf("initial policies (-want +got):\n%s", diff)
	}
	for _, skipped := range []any{"*", "MeshTimeout"} {
		m := kuma.Resource{Type: "Mesh", Name: "ml", Body: map[string]any{"skipCreatingInitialPolicies": []any{skipped}}}
		for name := range stored(m) {
			if skipped == "*" || name == "mesh-timeout-all-ml" {
				t.Errorf("%v does not skip %s", skipped, name)
			}
		}
	}
}
