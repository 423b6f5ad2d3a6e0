package proxies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestDefaults compares the settings that no policy sets with what the proxies have.
func TestDefaults(t *testing.T) {
	cp := start(t)
	for name, documents := range map[string]string{
		"without-policies": "",
		"with-policies": policy("MeshRetry", "backoff", "to: [{targetRef: {kind: Mesh}, default: {http: {backOff: {baseInterval: 1s}}, grpc: {numRetries: 3}}}]") +
			policy("MeshTimeout", "some", "to: [{"+toAPI+", default: {connectionTimeout: 3s, http: {maxStreamDuration: 9s}}}]") +
			policy("MeshTimeout", "in", "rules: [{matches: [{spiffeID: {type: Exact, value: 'spiffe://td/other'}}], default: {http: {requestTimeout: 3s}}}]") + everyone + allowAll,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resources := store(t, cp, strings.ReplaceAll(base()+documents, "MESH", name))
			simulation := engine.New(rules.NewSnapshotFor(cp.Info.Release, resources))
			var wants []string
			for _, dataplane := range []string{"web", "api"} {
				defaults, err := simulation.Defaults(name, dataplane)
				testworld.NoError(t, err)
				for _, d := range defaults {
					switch {
					case dataplane == "web" && d.To.Resource.Name == "api":
						wants = append(wants, fmt.Sprintf("outgoing %d %s %v", d.To.Number, d.Path, d.Value))
					case dataplane == "api" && d.To.Number == 0:
						wants = append(wants, fmt.Sprintf("incoming %d %s %v", d.Inbound.Port-8920, d.Path, d.Value))
					}
				}
			}
			if len(wants) < 20 {
				t.Errorf("only %d defaults: %q", len(wants), wants)
			}
			eventually(t, connect(t, cp, resources), func(m envoy.Mesh) string {
				has := map[string]bool{}
				for port, listener := range map[int]int{80: 11000, 81: 11002, 82: 11003} {
					from, r := request(fmt.Sprintf("GET / port=%d", listener))
					outcomes, err := m.Send(from, r)
					if err != nil || len(outcomes) != 1 || len(outcomes[0].Hosts) != 1 || outcomes[0].Hosts[0].Arrival == nil {
						return fmt.Sprintf("port %d: %+v, %v", port, outcomes, err)
					}
					observe(has, fmt.Sprintf("outgoing %d ", port), outcomes[0].Timeouts)
					observe(has, fmt.Sprintf("incoming %d ", port), outcomes[0].Hosts[0].Arrival.Timeouts)
					observeRetry(has, fmt.Sprintf("outgoing %d ", port), outcomes[0].Retry)
				}
				for _, want := range wants {
					if !has[want] {
						return "the proxies do not have: " + want
					}
				}
				return ""
			})
		})
	}
}

// observe adds the timeouts that a proxy has.
func observe(has map[string]bool, where string, t envoy.Timeouts) {
	for path, value := range map[string]fmt.Stringer{
		"connectionTimeout": t.Connect, "idleTimeout": t.Idle, "http.requestTimeout": t.Request, "http.streamIdleTimeout": t.StreamIdle,
		"http.maxStreamDuration": t.MaxStream, "http.maxConnectionDuration": t.MaxConnection,
	} {
		has[where+path+" "+value.String()] = true
	}
}

// observeRetry adds the retries that a proxy has, in the words of each protocol.
func observeRetry(has map[string]bool, where string, r *envoy.Retry) {
	if r == nil {
		has[where+"http.numRetries 0"], has[where+"grpc.numRetries 0"], has[where+"tcp.maxConnectAttempt 1"] = true, true, true
		return
	}
	for _, protocol := range []string{"http", "grpc"} {
		for path, value := range map[string]any{"numRetries": r.Attempts, "perTryTimeout": r.PerTry, "backOff.baseInterval": r.Base, "backOff.maxInterval": r.Max, "retryOn": slices.Sorted(slices.Values(r.On))} {
			has[fmt.Sprintf("%s%s.%s %v", where, protocol, path, value)] = true
		}
	}
}
