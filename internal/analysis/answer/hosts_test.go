package answer_test

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestHostNamesWithoutGenerators removes the last HostnameGenerator: its host names are gone, although the status of a service still has them.
// Documents alone and the embedded control plane have the generators with which others start.
func TestHostNamesWithoutGenerators(t *testing.T) {
	t.Parallel()
	const world = `{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: api, labels: {app: api}, networking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}
---
{type: MeshService, mesh: m, name: api, labels: {kuma.io/origin: zone, kuma.io/env: universal}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80}]}, status: {addresses: [{hostname: api.svc.mesh.local}]}}`
	documents := input.OfAllKinds()
	testworld.NoError(t, documents.Text([]byte(world)))
	zone := kuma.ControlPlane{Mode: kuma.ModeZone, Release: kuma.Newest2()}
	stored := testworld.Resources(t, world)
	isGenerator := map[kuma.Key]bool{}
	for _, g := range kinds.InitialGenerators() {
		isGenerator[g.Key()] = true
	}
	before, removed := input.Written("m", zone, kuma.Release{}, slices.Concat(stored, kinds.InitialGenerators()), nil, isGenerator)
	embedded := zone
	embedded.Embedded = true
	for want, meshes := range map[request.Verdict][]input.Mesh{
		request.Allowed:     {before, documents.Mesh("m", kuma.Newest2()), input.Stored("m", embedded, nil, stored, nil)},
		request.Passthrough: {removed, input.Stored("m", zone, nil, stored, nil)},
	} {
		for i, m := range meshes {
			got, err := answer.OfRequest(m, request.Request{Mesh: "m", Dataplane: "api", Service: request.Service{Host: "api.svc.mesh.local", Port: 80}})
			if err != nil || got.Verdict != string(want) {
				t.Errorf("%d: %s %s, %v, want %s", i, got.Verdict, got.Reason, err, want)
			}
		}
	}
}
