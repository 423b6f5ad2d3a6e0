package impact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTimeoutsForSomeClients checks that a MeshTimeout for some clients changes the timeouts of all
// others, as measured on 2.14.3 and the preview of 3.0 (proxies.md §4).
func TestTimeoutsForSomeClients(t *testing.T) {
	t.Parallel()
	const (
		world = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http, tags: {kuma.io/service: web, kuma.io/protocol: http}}, {port: 90, protocol: tcp, tags: {kuma.io/service: db}}]}}
`
		some = `---
{type: MeshTimeout, mesh: m, name: t, spec: {rules: [{matches: [{spiffeID: {type: Prefix, value: "spiffe://m/x"}}], default: {http: {requestTimeout: 3s}}}]}}
`
		all = `---
{type: MeshTimeout, mesh: m, name: t, spec: {rules: [{default: {http: {requestTimeout: 3s}}}]}}
`
	)
	for name, tt := range map[string]struct {
		policy string
		want   []string
	}{
		"some clients": {some, []string{
			`port 80: connectionTimeout "5s" -> "10s"`, `port 80: http.requestTimeout "15s" -> "0s"`,
			`port 80: http.streamIdleTimeout "30m0s" -> "1h0m0s"`, `port 80: idleTimeout "1h0m0s" -> "2h0m0s"`,
			`port 80, {"spiffeID":{"type":"Prefix","value":"spiffe://m/x"}}: http.requestTimeout unset -> "3s"`,
			`port 90: connectionTimeout "5s" -> "10s"`, `port 90: idleTimeout "1h0m0s" -> "2h0m0s"`,
		}},
		"all clients": {all, []string{`port 80: http.requestTimeout unset -> "3s"`}},
	} {
		found := compare(t, rules.NewSnapshot(testworld.Resources(t, world)), rules.NewSnapshot(testworld.Resources(t, world+tt.policy)), "m")
		var got []string
		for _, r := range found.Rows() {
			got = append(got, fmt.Sprintf("%s: %s %s -> %s", r.Destination, r.Path, value(r.Before), value(r.After)))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || len(found.WithoutEffect) > 0 {
			t.Errorf("%s: changes (-want +got), without effect %v:\n%s", name, found.WithoutEffect, diff)
		}
	}
}

// TestModeOfMutualTLS changes whether the services of a mesh accept plaintext, which no policy sets.
func TestModeOfMutualTLS(t *testing.T) {
	t.Parallel()
	const mesh = "{type: Mesh, name: m, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin, mode: %s}]}}\n---\n" +
		"{type: Dataplane, mesh: m, name: api-1, networking: {address: 10.0.0.1, inbound: [{port: 80, name: main, tags: {kuma.io/service: api}}, {port: 81, protocol: tcp, tags: {kuma.io/service: admin}}]}}"
	const tls = "\n---\n{type: MeshTLS, mesh: m, name: tls, spec: {targetRef: {kind: Dataplane, sectionName: main}, rules: [{default: {mode: %s}}]}}"
	permissive, strict := fmt.Sprintf(mesh, "PERMISSIVE"), fmt.Sprintf(mesh, "STRICT")
	for name, tt := range map[string]struct {
		before, after string
		want          []string
	}{
		"strict":             {permissive, strict, []string{`api-1: rules port 80 mode: Permissive -> Strict`, `api-1: rules port 81 mode: Permissive -> Strict`}},
		"set by a policy":    {permissive + fmt.Sprintf(tls, "Strict"), strict + fmt.Sprintf(tls, "Strict"), []string{`api-1: rules port 81 mode: Permissive -> Strict`}},
		"the same":           {permissive, permissive + fmt.Sprintf(tls, "Permissive"), nil},
		"without encryption": {permissive, "{type: Mesh, name: m, meshServices: {mode: Exclusive}}\n" + permissive[strings.Index(permissive, "---"):], nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := compare(t, snapshotOf(t, tt.before), snapshotOf(t, tt.after), "m", kinds.MeshTLS.Name)
			var rows []string
			for _, r := range i.Rows() {
				rows = append(rows, fmt.Sprintf("%s: %s %s %s: %s -> %s", strings.Join(r.Dataplanes, ","), r.Direction, r.Destination, r.Path, strings.Trim(r.Before.JSON, `"`), strings.Trim(r.After.JSON, `"`)))
			}
			testworld.Equal(t, "changes", tt.want, rows)
		})
	}
}
