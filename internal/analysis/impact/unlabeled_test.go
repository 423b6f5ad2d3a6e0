package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestNamesOfServicesInTheirZone changes what a Dataplane refers to by kuma.io/display-name on a global control plane of Kuma 2.14: whether the
// service of its zone has the label there is not known.
func TestNamesOfServicesInTheirZone(t *testing.T) {
	t.Parallel()
	const world = `{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web-7e, labels: {kuma.io/zone: east, app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [
  {port: 1001, backendRef: {kind: MeshService, labels: {%s, kuma.io/zone: %s}, port: 80}}]}}`
	const service = `{type: MeshService, mesh: m, name: web-8z4cbd5f6g7h2j9k, labels: {svc: web, kuma.io/display-name: web, kuma.io/zone: %s, kuma.io/origin: zone, kuma.io/env: universal}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 80%s}]}}`
	const timeout = `{type: MeshTimeout, mesh: m, name: slow, spec: {to: [{targetRef: {kind: MeshService, labels: {%s, kuma.io/zone: %s}}, default: {idleTimeout: 7s}}]}}`
	const byName = "kuma.io/display-name: web"
	for _, tt := range []struct {
		ref, policy, zone string
		release           kuma.Release
		unknown           [3]bool // if the service is removed, another one, or gets a policy
	}{
		{byName, "svc: web", "east", kuma.Newest2(), [3]bool{true, true, true}},
		{"svc: web", byName, "east", kuma.Newest2(), [3]bool{false, false, true}},
		{"svc: web", "svc: web", "east", kuma.Newest2(), [3]bool{false, false, false}},
		{byName, byName, "west", kuma.Newest2(), [3]bool{false, false, false}},
		{byName, byName, "east", kuma.ParseRelease("2.14.4"), [3]bool{false, false, false}},
	} {
		of := func(documents ...string) *rules.Snapshot {
			return rules.NewSnapshotFor(tt.release, testworld.Resources(t, append(documents, fmt.Sprintf(world, tt.ref, tt.zone))...))
		}
		before := of(fmt.Sprintf(service, tt.zone, ""))
		for n, after := range []*rules.Snapshot{
			of(), of(fmt.Sprintf(service, tt.zone, ", name: other, appProtocol: http")), of(fmt.Sprintf(service, tt.zone, ""), fmt.Sprintf(timeout, tt.policy, tt.zone)),
		} {
			i := compare(t, before, after, "m")
			if text := i.Summary(); i.IsUncertain() != tt.unknown[n] || tt.unknown[n] != strings.Contains(text, `Not known: whether proxies find MeshService "web"`) {
				t.Errorf("%+v, %d:\n%s", tt, n, text)
			}
		}
	}
}

// TestServiceBesideOthersOfABackend removes one of the services that a backendRef selects: where requests go is known if the oldest one is.
func TestServiceBesideOthersOfABackend(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, `{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: m, name: a, labels: {team: a}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: b, labels: {team: a}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: web, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: m, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1001, backendRef: {kind: MeshService, name: web, port: 80}}]}}
---
{type: MeshHTTPRoute, mesh: m, name: r, spec: {to: [{targetRef: {kind: MeshService, name: web}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {team: a}, port: 80}]}}]}]}}`)
	for created, want := range map[int64]string{
		0: "it is not known whether dataplanes change.\n\nNot known: where requests by MeshHTTPRoute \"r\" go.",
		1: "no dataplane changes.", 3: "every dataplane changes.",
	} {
		world := slices.Clone(resources)
		if created > 0 {
			world[1].CreationTime, world[2].CreationTime = time.Unix(2, 0), time.Unix(4-created, 0)
		}
		of := func(all []kuma.Resource) *rules.Snapshot { return rules.NewSnapshotFor(kuma.Newest2(), all) }
		if text := compare(t, of(world), of(slices.Delete(slices.Clone(world), 2, 3)), "m").Summary(); !strings.HasPrefix(text, "Mesh m: "+want) {
			t.Errorf("created %d: %s, want %s", created, text, want)
		}
	}
}
