package answer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestServicesOfOtherZones asks about what a zone control plane has: copies of MeshServices of other zones, without their
// Dataplanes. Proxies reach them through a zone ingress, and with mutual TLS also by tags (2.14.3).
func TestServicesOfOtherZones(t *testing.T) {
	t.Parallel()
	const (
		world = `
---
{type: Dataplane, mesh: shop, name: web-1, labels: {kuma.io/zone: east, kuma.io/origin: zone}, networking: {address: 127.1.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, kuma.io/protocol: http}}], outbound: [{port: 20000, tags: {kuma.io/service: bank}}, {port: 20001, backendRef: {kind: MeshService, labels: {kuma.io/display-name: db}, port: 80}}, {port: 20002, backendRef: {kind: MeshMultiZoneService, labels: {kuma.io/display-name: all}, port: 80}}]}}
---
{type: MeshService, mesh: shop, name: db-94wdzx6f6d76x58v, labels: {kuma.io/display-name: db, kuma.io/zone: west, kuma.io/origin: global, tier: all}, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: web, labels: {kuma.io/zone: east, kuma.io/origin: zone, tier: all}, spec: {selector: {dataplaneTags: {kuma.io/service: web}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshMultiZoneService, mesh: shop, name: all, labels: {kuma.io/display-name: all, kuma.io/origin: global}, spec: {selector: {meshService: {matchLabels: {tier: all}}}, ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: all, labels: {kuma.io/origin: global}, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}
---
{type: Mesh, name: shop, meshServices: {mode: Everywhere}, `
		mtls   = "mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, "
		copied = "labels: {kuma.io/origin: global}}"
	)
	type answers struct{ Tags, Service, Several, Access, Lint string }
	for name, tt := range map[string]struct {
		mesh string
		want answers
	}{
		"with mutual TLS":    {mtls + copied, answers{"unknown", "unknown", `allowed, not considered: Dataplanes of zone "west"`, "not known", ""}},
		"without mutual TLS": {copied, answers{"no_healthy_destination", "no_healthy_destination", "allowed", "", "dangling-outbound, dangling-outbound"}},
		"one zone":           {mtls + "}", answers{"no_healthy_destination", "unknown", `allowed, not considered: Dataplanes of zone "west"`, "not known", "dangling-outbound"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := input.OfKinds(lint.Kinds())
			testworld.NoError(t, d.Text([]byte(world+tt.mesh)))
			mesh := d.Mesh("shop", kuma.ParseRelease("2.14.3"))
			send := func(port int) string {
				a, err := answer.OfRequest(mesh, request.Request{Mesh: "shop", Dataplane: "web-1", Service: request.Service{Host: "127.0.0.1", Port: port}})
				testworld.NoError(t, err)
				if len(a.NotConsidered) > 0 {
					return a.Verdict + ", not considered: " + strings.Join(a.NotConsidered, ", ")
				}
				return a.Verdict
			}
			got := answers{Tags: send(20000), Service: send(20001), Several: send(20002)}
			snapshot, _ := mesh.Snapshot()
			proxies, err := proxy.New(snapshot, "shop")
			testworld.NoError(t, err)
			matrix, err := access.Of(proxies, access.Filter{})
			testworld.NoError(t, err)
			for _, row := range matrix.Rows {
				if slices.ContainsFunc(row.Ports, func(p rules.Port) bool { return p.Resource.Name == "db" }) && row.Access[0].Verdict == proxy.Undecided {
					got.Access = "not known"
				}
			}
			for _, f := range lint.Mesh(snapshot, "shop") {
				if f.Severity == lint.Error {
					got.Lint = strings.TrimPrefix(got.Lint+", "+f.Code, ", ")
				}
			}
			testworld.Equal(t, "answers", tt.want, got)
		})
	}
}

// TestTagsOnGlobal shows that a global control plane, which has the Dataplanes of all zones, knows who provides a tag.
func TestTagsOnGlobal(t *testing.T) {
	t.Parallel()
	stored := testworld.Resources(t, `
{type: Mesh, name: shop, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
---
{type: Dataplane, mesh: shop, name: web-1-46v7w77x4x24947v, labels: {kuma.io/zone: east, kuma.io/origin: zone, kuma.io/display-name: web-1}, networking: {address: 127.1.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 20000, tags: {kuma.io/service: web}}, {port: 20001, tags: {kuma.io/service: bank}}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: all, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}
`)
	mesh := input.Stored("shop", kuma.ControlPlane{Mode: kuma.ModeGlobal, Release: kuma.ParseRelease("2.14.3")}, nil, stored, nil)
	for port, want := range map[int]string{20000: "allowed", 20001: "no_healthy_destination"} {
		a, err := answer.OfRequest(mesh, request.Request{
			Mesh: "shop", Dataplane: "web-1-46v7w77x4x24947v", Service: request.Service{Host: "127.0.0.1", Port: port},
		})
		testworld.NoError(t, err)
		if a.Verdict != want || len(a.NotConsidered) > 0 {
			t.Errorf("port %d: %s, not considered: %v, want %s", port, a.Verdict, a.NotConsidered, want)
		}
	}
}
