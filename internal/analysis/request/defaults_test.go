package request_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestDefaults checks which settings a proxy has that no policy sets. TestDefaults of package
// proxies compares them with a control plane.
func TestDefaults(t *testing.T) {
	t.Parallel()
	const api80, api81 = "api 80", "api 81"
	outgoing := []string{
		"MeshTimeout connectionTimeout=5s", "MeshTimeout http.maxConnectionDuration=0s", "MeshTimeout http.maxStreamDuration=0s", "MeshTimeout http.requestTimeout=15s",
		"MeshTimeout http.streamIdleTimeout=30m0s", "MeshTimeout idleTimeout=1h0m0s",
	}
	for name, tt := range map[string]struct {
		documents, of string
		want          []string
	}{
		"HTTP":                      {"", api80, append([]string{"MeshRetry http.numRetries=0"}, outgoing...)},
		"TCP":                       {"", api81, []string{"MeshRetry tcp.maxConnectAttempt=1", "MeshTimeout connectionTimeout=5s", "MeshTimeout idleTimeout=1h0m0s"}},
		"a policy sets some":        {policy("MeshTimeout", "all", "to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s, idleTimeout: 2s}}]"), api81, []string{"MeshRetry tcp.maxConnectAttempt=1"}},
		"a policy sets the retries": {policy("MeshRetry", "all", "to: [{targetRef: {kind: Mesh}, default: {tcp: {maxConnectAttempt: 3}}}]"), api81, []string{"MeshTimeout connectionTimeout=5s", "MeshTimeout idleTimeout=1h0m0s"}},
		"a policy sets the backoff": {
			policy("MeshRetry", "all", "to: [{targetRef: {kind: Mesh}, default: {http: {backOff: {baseInterval: 1s}}}}]"), api80,
			append([]string{"MeshRetry http.backOff.maxInterval=10s", "MeshRetry http.numRetries=1", "MeshRetry http.perTryTimeout=0s", "MeshRetry http.retryOn=[connect-failure gateway-error refused-stream]"}, outgoing...),
		},
		"incoming": {"", "inbound 9000", []string{
			"MeshTimeout connectionTimeout=5s", "MeshTimeout http.maxStreamDuration=0s", "MeshTimeout http.requestTimeout=15s", "MeshTimeout http.streamIdleTimeout=30m0s", "MeshTimeout idleTimeout=1h0m0s",
		}},
		"incoming beside rules for some clients": {
			policy("MeshTimeout", "one", "rules: [{matches: [{spiffeID: {type: Exact, value: 'spiffe://td/x'}}], default: {http: {requestTimeout: 3s}}}]"), "inbound 9000",
			[]string{"MeshTimeout connectionTimeout=10s", "MeshTimeout http.maxStreamDuration=0s", "MeshTimeout http.requestTimeout=0s", "MeshTimeout http.streamIdleTimeout=1h0m0s", "MeshTimeout idleTimeout=2h0m0s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defaults, err := request.New(rules.NewSnapshotFor(rules.Newest(), testworld.Resources(t, world+tt.documents))).Defaults("m", "web-1")
			testworld.NoError(t, err)
			var got []string
			for _, d := range defaults {
				where := fmt.Sprintf("%s %d", d.To.Resource.Name, d.To.Number)
				if d.To.Number == 0 {
					where = fmt.Sprintf("inbound %d", d.Inbound.Port)
				}
				if where == tt.of {
					got = append(got, fmt.Sprintf("%s %s=%v", d.Kind, d.Path, d.Value))
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestDefaultsOfGRPC shows that the control plane sets no idle and maximum durations of connections for gRPC (2.14.3 and 3.0).
func TestDefaultsOfGRPC(t *testing.T) {
	t.Parallel()
	grpc := strings.ReplaceAll(world, "appProtocol: http", "appProtocol: grpc")
	defaults, err := request.New(rules.NewSnapshotFor(rules.Newest(), testworld.Resources(t, grpc))).Defaults("m", "web-1")
	testworld.NoError(t, err)
	got := map[string]request.Origin{}
	for _, d := range defaults {
		if d.To.Number == 80 {
			got[d.Path] = d.Origin
		}
	}
	testworld.Equal(t, "origins", map[string]request.Origin{
		"connectionTimeout": request.OfControlPlane, "http.requestTimeout": request.OfControlPlane, "http.streamIdleTimeout": request.OfControlPlane,
		"idleTimeout": request.OfProxy, "http.maxStreamDuration": request.OfProxy, "http.maxConnectionDuration": request.OfProxy,
		"grpc.numRetries": request.OfProxy,
	}, got)
}
