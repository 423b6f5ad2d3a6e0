package proxies_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// company are the documents of a global control plane, and of its zones east and west.
var company = map[string]string{
	"": `{type: Mesh, name: company, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, skipCreatingInitialPolicies: ["*"]}
---
{type: MeshTimeout, mesh: company, name: shop, spec: {targetRef: {kind: MeshSubset, tags: {team: shop}}, to: [{targetRef: {kind: MeshService, name: api}, default: {http: {requestTimeout: 5s}}}], from: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 9s}}}]}}
---
{type: MeshRetry, mesh: company, name: east, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/zone: east}}, to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 1}}}]}}
---
{type: MeshExternalService, mesh: company, name: bank, spec: {match: {port: 443}, endpoints: [{address: bank.example, port: 443}]}}
---
{type: MeshTimeout, mesh: company, name: bank, spec: {to: [{targetRef: {kind: MeshExternalService, name: bank}, default: {connectionTimeout: 2s}}]}}`,
	"east": `{type: ZoneIngress, name: in-east, networking: {address: 10.3.9.1, port: 10001, advertisedAddress: 203.0.113.3, advertisedPort: 10001}}
---
{type: ZoneEgress, name: out-east, networking: {address: 10.3.9.2, port: 10002}}
---
{type: Dataplane, mesh: company, name: web-1, labels: {kuma.io/workload: web}, networking: {address: 10.3.0.1, inbound: [{port: 8080, tags: {kuma.io/service: web, kuma.io/protocol: http, team: shop}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}
---
{type: Dataplane, mesh: company, name: api-e1, labels: {kuma.io/workload: api}, networking: {address: 10.3.0.2, inbound: [{port: 9000, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}`,
	"west": `{type: ZoneIngress, name: in-west, networking: {address: 10.4.9.1, port: 10001}}
---
{type: Dataplane, mesh: company, name: api-w1, labels: {kuma.io/workload: api}, networking: {address: 10.4.0.1, inbound: [{port: 9000, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}`,
}

// TestUpgradeOfZones takes a global control plane with two zones to Kuma 3.0: stage one in the zones, on the global
// control plane and in the zones again changes no proxy, then has nothing left to write; and control planes of 3.0 accept
// all that each of them owns in stage two. Their proxies then do what the proof says.
func TestUpgradeOfZones(t *testing.T) {
	old, recent := deployZones(t, "KUMA_CP", "east", "west"), deployZones(t, "KUMA3_CP", "east", "west")
	if old.Sites[0].Info.Release.Kuma3() {
		t.Skip("stage one is for Kuma 2.14")
	}
	storeCompany(t, old)
	results := map[string]upgrade.Result{}
	for pass, zone := range []string{"east", "west", "", "east", "west", ""} {
		site := old.Zone(zone)
		time.Sleep(settlePause) // in which the zones exchange their resources, and generate services
		stored := storedBy(t, site)
		result, err := upgrade.Rewrite(stored, upgrade.Options{ControlPlane: site.Info.ControlPlane})
		if err != nil || !result.Proof.StageOne.None() {
			t.Fatalf("zone %q: %v\n%s", zone, err, result.Proof)
		}
		written := 0
		for _, r := range owned(result.StageOne, site) {
			if !slices.ContainsFunc(stored, func(s kuma.Resource) bool { return tree.Equal(s.Document(), r.Document()) }) {
				put(t, site, r)
				written++
			}
		}
		t.Logf("zone %q: %d documents of stage one", zone, written)
		if again := pass >= len(old.Sites); again && written > 0 {
			t.Errorf("zone %q: %d documents are written again:\n%s", zone, written, result.Report)
		}
		results[zone] = result
	}
	for _, zone := range []string{"", "east", "west"} {
		for _, r := range owned(results[zone].StageTwo, old.Zone(zone)) {
			put(t, recent.Zone(zone), r)
		}
		testworld.NoError(t, recent.AwaitMesh(t.Context(), "company"))
	}
	removeInitialPolicies(t, recent.Zone(""), "company", results[""].StageTwo)
	for _, zone := range []string{"east", "west"} {
		t.Run(zone, func(t *testing.T) {
			s := &stages{old: old.Zone(zone), recent: recent.Zone(zone)}
			s.compareUpgraded(t, "company", results[zone], startProxies(t, s.old, storedBy(t, s.old)))
			if t.Log(s); s.upgraded.Load() == 0 {
				t.Error("no proxy was compared")
			}
		})
	}
}

// storeCompany stores the documents of the company.
func storeCompany(t *testing.T, d *oracle.Deployment) {
	t.Helper()
	for _, zone := range []string{"", "east", "west"} {
		for _, r := range testworld.Resources(t, company[zone]) {
			put(t, d.Zone(zone), r)
		}
		testworld.NoError(t, d.AwaitMesh(t.Context(), "company"))
	}
}

// deployZones starts a global control plane with zones, of the binary that a variable names.
func deployZones(t *testing.T, variable string, zones ...string) *oracle.Deployment {
	t.Helper()
	binary := os.Getenv(variable)
	if binary == "" {
		t.Skip(variable + " does not name a kuma-cp")
	}
	d, err := oracle.Deploy(t.Context(), binary, zones)
	testworld.NoError(t, err)
	t.Cleanup(func() { _ = d.Stop() })
	return d
}

// put stores a resource, which the control plane must accept.
func put(t *testing.T, site *oracle.Site, r kuma.Resource) {
	t.Helper()
	if rejection, err := site.Put(t.Context(), r); err != nil || rejection != "" {
		t.Errorf("%s: %s %v", r.Key(), rejection, err)
	}
}

// storedBy reads all resources of the mesh, and the zone proxies.
func storedBy(t *testing.T, site *oracle.Site) (all []kuma.Resource) {
	t.Helper()
	for _, k := range kinds.All() {
		list, err := site.Client.List(context.WithoutCancel(t.Context()), k, "")
		if _, unknown := errors.AsType[*controlplane.UnknownKindError](err); err != nil && !unknown {
			t.Fatal(err)
		}
		all = append(all, slices.DeleteFunc(list, func(r kuma.Resource) bool {
			zoneProxy := r.Type == kinds.ZoneIngress.Name || r.Type == kinds.ZoneEgress.Name
			return r.Mesh != "company" && r.Key() != kuma.MeshKey("company") && !zoneProxy || len(k.SecretFields()) > 0
		})...)
	}
	return all
}

// owned returns the resources that users manage on a control plane.
func owned(resources []kuma.Resource, site *oracle.Site) []kuma.Resource {
	return slices.DeleteFunc(slices.Clone(resources), func(r kuma.Resource) bool {
		k, _ := kinds.Find(r.Type)
		return k.Synced(r, site.Info.ControlPlane) || kinds.ManagedBy(k, r, resources, site.Info.ControlPlane) != ""
	})
}
