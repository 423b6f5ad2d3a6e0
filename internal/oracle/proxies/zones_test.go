package proxies_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// crossZone are documents of a global control plane and its zones, in the order in which they are written: after each step, the
// endpoints of the proxy of east in west are compared. %s is what the Mesh and the inbounds of a release have.
var crossZone = []struct{ zone, documents string }{
	{"", `{type: Mesh, name: company%[1]s, skipCreatingInitialPolicies: ["*"]}
---
{type: HostnameGenerator, name: multi, spec: {selector: {meshMultiZoneService: {matchLabels: {}}}, template: "{{ .DisplayName }}.multi"}}
---
{type: MeshMultiZoneService, mesh: company, name: cart, spec: {selector: {meshService: {matchLabels: {app: cart}}}, ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshLoadBalancingStrategy, mesh: company, name: all-zones, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {disabled: true}}}]}}`},
	{"west", `{type: Dataplane, mesh: company, name: cart-w, labels: {app: cart, kuma.io/workload: cart}, networking: {address: 10.1.0.1, inbound: [{port: 80%[2]s}]}}
---
{type: MeshService, mesh: company, name: cart, labels: {app: cart, kuma.io/origin: zone}, spec: {selector: {dataplaneLabels: {matchLabels: {app: cart}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}`},
	{"west", `{type: ZoneIngress, name: in, networking: {address: 10.1.0.9, port: 10001}}`},
	{"west", `{type: ZoneIngress, name: in, networking: {address: 10.1.0.9, port: 10001, advertisedAddress: 203.0.113.1, advertisedPort: 10001}}`},
	{"west", `{type: MeshZoneAddress, mesh: company, name: in, labels: {kuma.io/origin: zone}, spec: {address: 203.0.113.1, port: 10005}}`},
	{"", `{type: MeshIdentity, mesh: company, name: west, spec: {selector: {dataplane: {matchLabels: {app: cart}}}, spiffeID: {trustDomain: company, path: /x}, provider: {type: Bundled, bundled: {insecureAllowSelfSigned: true, meshTrustCreation: Enabled, autogenerate: {enabled: true}}}}}`},
	{"east", `{type: ZoneEgress, name: out, networking: {address: 10.0.0.8, port: 10002}}`},
	{"east", `{type: Dataplane, mesh: company, name: cart-e, labels: {app: cart, kuma.io/workload: cart}, networking: {address: 10.0.0.7, inbound: [{port: 80%[2]s}]}}
---
{type: MeshService, mesh: company, name: cart, labels: {app: cart, kuma.io/origin: zone}, spec: {selector: {dataplaneLabels: {matchLabels: {app: cart}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}`},
	{"", `{type: MeshLoadBalancingStrategy, mesh: company, name: all-zones, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {disabled: true, crossZone: {failover: [{to: {type: Any}}]}}}}]}}`},
	{"", `{type: MeshLoadBalancingStrategy, mesh: company, name: all-zones, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: Random}}}]}}`},
}

// TestRequestsToOtherZones compares to which Dataplanes of two zones requests go, as a global control plane knows the zones, with the
// endpoints of the proxy.
func TestRequestsToOtherZones(t *testing.T) {
	for name, mesh := range map[string]string{
		"mutual TLS":  ", meshServices: {mode: Everywhere}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}",
		"zone egress": ", meshServices: {mode: Everywhere}, routing: {zoneEgress: true}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}",
		"plaintext":   ", meshServices: {mode: Exclusive}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compareZones(t, mesh)
		})
	}
}

func compareZones(t *testing.T, mesh string) {
	t.Helper()
	d := deployZones(t, "KUMA_CP", "east", "west")
	kuma3 := d.Sites[0].Info.Release.Kuma3()
	inbound := ", tags: {kuma.io/service: cart, kuma.io/protocol: http}"
	if kuma3 {
		mesh, inbound = "", ", protocol: http"
	}
	var web *proxies.Proxy
	for i, step := range crossZone {
		for _, r := range testworld.Resources(t, fmt.Sprintf(step.documents+"%.0[1]s%.0[2]s", mesh, inbound)) {
			if !strings.HasPrefix(r.Type, "Zone") || !kuma3 {
				put(t, d.Zone(step.zone), r)
			}
		}
		if i == 0 {
			testworld.NoError(t, d.AwaitMesh(t.Context(), "company"))
			web = connectWeb(t, d.Zone("east"), kuma3)
		}
		testworld.NoError(t, oracle.Pause(t.Context(), settlePause)) // in which nothing may change, too
		services := map[string]engine.Service{"cart.multi": {Kind: kuma.KindMeshMultiZoneService, Name: "cart", Port: 80}}
		if !kuma3 {
			services["cart.mesh"] = engine.Service{Host: "cart.mesh", Port: 80}
		}
		for host, service := range services {
			compareEndpoints(t, fmt.Sprintf("step %d, %s", i, host), d, web, host, service)
		}
	}
}

// connectWeb connects the proxy of a client.
func connectWeb(t *testing.T, east *oracle.Site, kuma3 bool) *proxies.Proxy {
	t.Helper()
	inbound := "protocol: http"
	if !kuma3 {
		inbound = "tags: {kuma.io/service: web, kuma.io/protocol: http}"
	}
	put(t, east, testworld.Resources(t, fmt.Sprintf("{type: Dataplane, mesh: company, name: web, labels: {kuma.io/workload: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, %s}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}", inbound))[0])
	p, err := proxies.Connect(t.Context(), east, proxies.Options{Mesh: "company", Dataplane: "web", Workload: "web"})
	testworld.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// compareEndpoints compares the endpoints of a host until they are equal.
func compareEndpoints(t *testing.T, about string, d *oracle.Deployment, web *proxies.Proxy, host string, service engine.Service) {
	t.Helper()
	var want, got []string
	err := oracle.Until(t.Context(), settles, time.Second, "the same endpoints", func(ctx context.Context) (bool, error) {
		config, err := web.Config(ctx)
		if err != nil {
			return false, err
		}
		var undecided bool
		if want, undecided = predicted(t, storedBy(t, d.Sites[0]), d.Sites[0].Info.Release, service); undecided {
			return true, nil
		}
		got = nil
		outcomes, err := config.Send(envoy.Request{Host: host, Port: 80, Method: "GET", Path: "/"})
		for _, o := range outcomes {
			for _, h := range o.Hosts {
				if h.Priority == 0 {
					got = append(got, strings.Replace(h.Address, "10.0.0.8", "203.0.113.1", 1)) // the egress sends it to the ingress
				}
			}
		}
		got = phrase.Sorted(got)
		return slices.Equal(want, got), err
	})
	if t.Logf("%s: %v", about, got); err != nil {
		t.Errorf("%s: the proxy has the endpoints %v, want %v: %v", about, got, want, err)
	}
}

// predicted returns the addresses to which the engine sends a request of web: of Dataplanes of east, and of the ingress of west. A
// MeshLoadBalancingStrategy that a ZoneEgress applies, too, is not evaluated.
func predicted(t *testing.T, stored []kuma.Resource, release kuma.Release, service engine.Service) (addresses []string, undecided bool) {
	t.Helper()
	client := ""
	for _, r := range stored {
		if r.Type == kuma.KindDataplane && r.DisplayName() == "web" {
			client = r.Name
		}
	}
	snapshot := rules.NewSnapshotFor(release, stored).RestrictOutbound(false) // the preview does not
	answer, err := engine.New(snapshot).Send(engine.Request{Mesh: "company", Dataplane: client, Service: service})
	testworld.NoError(t, err)
	for _, b := range answer.Backends {
		undecided = strings.Contains(b.Reason, "ZoneEgress of the zone also applies")
		for _, p := range b.Proxies {
			address := "10.0.0.7"
			if strings.HasPrefix(p.Dataplane, "cart-w") {
				address = "203.0.113.1"
			}
			addresses = append(addresses, address)
		}
	}
	return phrase.Sorted(addresses), undecided
}
