package impact_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const pair = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 9000, name: main, tags: {kuma.io/service: web, kuma.io/protocol: http}}], outbound: [{port: 11000, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
{type: Dataplane, mesh: m, name: tp, networking: {address: 10.0.0.2, inbound: [{port: 9000}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {refs: []}}}}
---
{type: Dataplane, mesh: m, name: api, labels: {app: api}, networking: {address: 10.0.0.3, inbound: [{port: 9000, name: main}, {port: 9001, name: aux}]}}
---
{type: MeshService, mesh: m, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}, {port: 81, targetPort: 9001, appProtocol: tcp}]}}
`

// changedBy returns the summary of an edit of documents, and the dataplanes that it and its opposite name.
func changedBy(t *testing.T, documents, old, edited string) (summary string, names, back []string) {
	t.Helper()
	if !strings.Contains(documents, old) {
		t.Fatalf("no %q", old)
	}
	read := func(text string) *rules.Snapshot {
		return rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, text))
	}
	before, after := read(documents), read(strings.Replace(documents, old, edited, 1))
	found := compare(t, before, after, "m")
	opposite := compare(t, after, before, "m")
	return found.Summary(), found.Changed(), opposite.Changed()
}

// replacement edits documents. It changes the proxies of want in both directions, and the summary contains line.
type replacement struct{ name, old, edited, want, line string }

func checkChanges(t *testing.T, documents string, edits []replacement) {
	t.Helper()
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			summary, names, back := changedBy(t, documents, e.old, e.edited)
			if got := strings.Join(names, " "); got != e.want || !slices.Equal(names, back) || !strings.Contains(summary, e.line) {
				t.Errorf("got %v, back %v:\n%s", names, back, summary)
			}
		})
	}
}

// TestOwnSettings compares settings that a Dataplane has for its own proxy, as read from the configuration of
// proxies of Kuma 2.14.3 before and after each edit.
func TestOwnSettings(t *testing.T) {
	checkChanges(t, pair, []replacement{
		{"another port of an outbound", "port: 11000", "port: 11010", "web", "`networking.outbound[0].port`: `11000` → `11010`, set by web"},
		{"another address of an outbound", "{port: 11000", "{port: 11000, address: 127.0.0.9", "web", "`networking.outbound[0].address`: unset → `127.0.0.9`, set by web"},
		{"a second outbound to a port", "outbound: [", "outbound: [{port: 11001, backendRef: {kind: MeshService, name: api, port: 80}}, ", "web", "`networking.outbound`"},
		{"an outbound to a port that the service does not have", "outbound: [", "outbound: [{port: 11001, backendRef: {kind: MeshService, name: api, port: 89}}, ", "", ""},
		{"an outbound by tags without a service", "outbound: [", "outbound: [{port: 11002, tags: {team: b}}, ", "", ""},
		{"an outbound by a tag of a transparent proxy", "{address: 10.0.0.2,", "{address: 10.0.0.2, outbound: [{port: 11002, tags: {kuma.io/service: api}}],", "", ""},
		{"another subset of proxies", "outbound: [{port: 11000, backendRef: {kind: MeshService, name: api, port: 80}}]", "outbound: [{port: 11000, tags: {kuma.io/service: api}}]", "web", ""},
		{"the address", "address: 10.0.0.1", "address: 10.0.0.9", "web", "`networking.address`: `10.0.0.1` → `10.0.0.9`"},
		{"the port of the application", "{port: 9000, name: main, tags", "{port: 9000, servicePort: 8080, name: main, tags", "web", "`networking.inbound[0].servicePort`"},
		{"the protocol by its tag", "kuma.io/protocol: http", "kuma.io/protocol: tcp", "web", "`networking.inbound[0].protocol`: `http` → `tcp`"},
		{"the name of an inbound in mode Exclusive", "{port: 9000, name: main, tags", "{port: 9000, name: other, tags", "", ""},
		{"the port of the redirection", "redirectPortOutbound: 15001", "redirectPortOutbound: 15011", "tp", "`networking.transparentProxying.redirectPortOutbound`"},
		{"direct access", "reachableBackends: {refs: []}", "reachableBackends: {refs: []}, directAccessServices: ['*']", "tp", "`networking.transparentProxying.directAccessServices`"},
		{"probes", "labels: {app: web},", "labels: {app: web}, probes: {port: 9998, endpoints: [{inboundPort: 9000, inboundPath: /a, path: /b}]},", "web", "`probes`: unset"},
		{"metrics", "labels: {app: web},", "labels: {app: web}, metrics: {type: prometheus, conf: {port: 1}},", "web", "`metrics`: unset"},
		{"the protocol of the tag as a field", "name: main, tags: {kuma.io/service: web, kuma.io/protocol: http}", "name: main, protocol: http, tags: {kuma.io/service: web}", "", ""},
		{"the port of the administration", "address: 10.0.0.1", "address: 10.0.0.1, admin: {port: 9999}", "", ""},
		{"the protocol of a port without a listener", "targetPort: 9001, appProtocol: tcp", "targetPort: 9001, appProtocol: http", "", ""},
		{"a tag", "kuma.io/service: web,", "kuma.io/service: web, team: a,", "", ""},
	})
}

// TestDelegatedGatewayOfKuma3 compares a delegated gateway with the same Dataplane without the field, which Kuma 3.0 does
// not read: its proxy has the same listeners.
func TestDelegatedGatewayOfKuma3(t *testing.T) {
	const gateway = pair + `---
{type: Dataplane, mesh: m, name: front, networking: {address: 10.0.0.4, gateway: {type: DELEGATED, tags: {kuma.io/service: front}}, outbound: [{port: 11000, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
`
	before := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, gateway))
	after := rules.NewSnapshotFor(rules.Newest(), testworld.Resources(t, strings.Replace(gateway, "gateway: {type: DELEGATED, tags: {kuma.io/service: front}}, ", "", 1)))
	found := compare(t, before, after, "m")
	if slices.Contains(found.Changed(), "front") {
		t.Error(found.Summary())
	}
}

// leaving adds an external service, a zone egress, certificates and a builtin gateway to the pair.
const leaving = `---
{type: MeshExternalService, mesh: m, name: ext, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: 10.9.9.9, port: 8443}], tls: {enabled: false}}}
---
{type: Dataplane, mesh: m, name: all, labels: {app: all}, networking: {address: 10.0.0.4, inbound: [{port: 9000}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}
---
{type: Dataplane, mesh: m, name: egress, labels: {app: egress}, networking: {address: 10.0.0.5, listeners: [{type: ZoneEgress, address: 10.0.0.5, port: 10002}]}}
---
{type: MeshIdentity, mesh: m, name: identity, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: '/{{ label "app" }}'}, provider: {type: Spire, spire: {}}}}
---
{type: MeshOpenTelemetryBackend, mesh: m, name: o, spec: {endpoint: {address: 10.1.1.1, port: 4317}}}
---
{type: ZoneIngress, name: west, zone: west, networking: {address: 10.4.4.3, port: 10001, advertisedAddress: 10.4.4.4, advertisedPort: 10001}}
---
{type: MeshTrust, mesh: m, name: td, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: a}}]}}
---
{type: Dataplane, mesh: m, name: gate, labels: {app: gate}, networking: {address: 10.0.0.6, gateway: {type: BUILTIN, tags: {kuma.io/service: gate}}}}
---
{type: MeshGateway, mesh: m, name: g, selectors: [{match: {kuma.io/service: gate}}], conf: {listeners: [{port: 8080, protocol: HTTP, crossMesh: false}]}}
`

// TestSharedSettings compares settings that change the proxies of others, as read from the configuration of proxies.
func TestSharedSettings(t *testing.T) {
	checkChanges(t, pair+leaving, []replacement{
		{"an advertised address", "address: 10.0.0.3,", "address: 10.0.0.3, advertisedAddress: 10.7.7.7,", "all web", "provided by api 10.7.7.7:9000 10.7.7.7:9001"},
		{"an inbound that is not ready in the old format", "{port: 9000, name: main}", "{port: 9000, name: main, health: {ready: false}}", "all web", "provided by"},
		{"the port of an inbound behind another port", "{port: 9001, name: aux}", "{port: 9002, name: aux}", "all api", "provided by api 10.0.0.3:9000, before: api 10.0.0.3:9000 10.0.0.3:9001"},
		{"the address of a zone egress", "10.0.0.5, port: 10002", "10.0.0.9, port: 10002", "all egress", "requests leave the mesh through `egress 10.0.0.9:10002 spiffe://td/egress`, before: `egress 10.0.0.5:10002 spiffe://td/egress`"},
		{"the identity of a zone egress", "{app: egress}", "{app: other}", "all egress", "through `egress 10.0.0.5:10002 spiffe://td/other`, before"},
		{"an advertised address of a zone egress", "address: 10.0.0.5, listeners", "address: 10.0.0.5, advertisedAddress: 10.7.7.7, listeners", "", ""},
		{"an external service", "---\n{type: MeshExternalService, mesh: m, name: ext, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: 10.9.9.9, port: 8443}], tls: {enabled: false}}}\n", "", "egress", "the proxy no longer reaches it"},
		{"what leaves the mesh, of proxies with an application", "---\n{type: MeshTrust,", "---\n{type: MeshPassthrough, mesh: m, name: p, spec: {default: {passthroughMode: None}}}\n---\n{type: MeshTrust,", "all api tp", "`passthroughMode`: unset → `None`"},
		{"a backend for telemetry", "endpoint: {address: 10.1.1.1", "endpoint: {address: 10.1.1.2", "", "it is not known whether dataplanes change.\n\nNot considered, although changed: MeshOpenTelemetryBackend \"o\". This provider does not compare what they do.\n\n6 dataplanes do not change otherwise"},
		{"a zone ingress", "advertisedAddress: 10.4.4.4", "advertisedAddress: 10.4.4.5", "", "Not considered, although changed: ZoneIngress \"west\"."},
		{"what a zone ingress leads to", "advertisedPort: 10001}", "advertisedPort: 10001}, availableServices: [{mesh: m, tags: {kuma.io/service: far}}]", "", ": no dataplane changes."},
		{"TLS of an external service", "tls: {enabled: false}", "tls: {enabled: true}", "egress", "tls: `disabled` → `enabled`"},
		{"the port of an external service", "port: 443", "port: 444", "all egress", "MeshExternalService \"ext\"\n  - port: `443` → `444`"},
		{"a label that the identity of a service contains", "name: api, labels: {app: api}, networking", "name: api, labels: {app: api, kuma.io/workload: x}, networking", "", ""},
		{"a trust domain", "---\n{type: MeshTrust,", "---\n{type: MeshTrust, mesh: m, name: other, spec: {trustDomain: other, caBundles: [{type: Pem, pem: {value: b}}]}}\n---\n{type: MeshTrust,", "all api egress gate tp web", "the proxy trusts `other` and `td`, before: `td`"},
		{"mutual TLS of the mesh", "name: m, meshServices", "name: m, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, meshServices", "all api egress gate tp web", "the proxy trusts `m` and `td`, before: `td`"},
		{"an authority", "pem: {value: a}", "pem: {value: b}", "all api egress gate tp web", "the proxy trusts other certificate authorities for the same trust domains, before: `td`"},
		{"the path of identities", `'/{{ label "app" }}'`, `'/x/{{ label "app" }}'`, "all api egress gate web", "proxies with `spiffe://td/x/api`, before: `spiffe://td/api`"},
		{"certificates of all but one", "matchLabels: {}", "matchLabels: {app: web}", "all api egress gate tp web", "web\n- Dataplane, to MeshService \"api\"\n  - proxies with nothing, before: `spiffe://td/api`"},
		{"connections of a builtin gateway", "crossMesh: false", "crossMesh: false, resources: {connectionLimit: 5}", "gate", "`conf.listeners[0].resources`: unset → "},
		{"a gateway for other meshes", "crossMesh: false", "crossMesh: true", "gate", "`conf.listeners[0].crossMesh`: `false` → `true`, set by g"},
		{"requests by tags to other zones", "name: m, meshServices", "name: m, routing: {localityAwareLoadBalancing: true}, meshServices", "", "Not considered, although changed: `routing.localityAwareLoadBalancing` of the Mesh."},
		{"access to external services", "name: m, meshServices", "name: m, routing: {defaultForbidMeshExternalServiceAccess: true}, meshServices", "", "Not considered, although changed: `routing.defaultForbidMeshExternalServiceAccess` of the Mesh."},
		{"routing as it is", "name: m, meshServices", "name: m, routing: {zoneEgress: false}, meshServices", "", ": no dataplane changes."},
		{"metrics of the mesh", "name: m, meshServices", "name: m, metrics: {backends: [{name: p, type: prometheus}]}, meshServices", "", "it is not known whether dataplanes change.\n\nNot considered, although changed: `metrics` of the Mesh."},
	})
}

// TestOnlyEgressesHaveEndpointsOfExternalServices shows that clients only know the zone egress, as read from the configuration.
func TestOnlyEgressesHaveEndpointsOfExternalServices(t *testing.T) {
	const documents = "{type: Mesh, name: m}\n" + leaving + `---
{type: Dataplane, mesh: m, name: web, networking: {address: 10.0.0.9, inbound: [{port: 9000}], outbound: [{port: 1, backendRef: {kind: MeshExternalService, name: ext, port: 443}}]}}`
	for _, release := range []kuma.Release{kuma.ParseRelease("2.14"), rules.Newest()} {
		of := func(edits ...string) *rules.Snapshot {
			return rules.NewSnapshotFor(release, testworld.Resources(t, strings.NewReplacer(edits...).Replace(documents)))
		}
		for _, edit := range [][2]string{{"port: 8443", "port: 8444"}, {"enabled: false", "enabled: true"}} {
			testworld.Equal(t, edit[1], []string{"egress"}, compare(t, of(), of(edit[0], edit[1]), "m").Changed())
		}
	}
}

// TestChangesThatNoProxyUses compares changes of policies with the configuration of proxies of Kuma 2.14.3 before and after.
func TestChangesThatNoProxyUses(t *testing.T) {
	named := strings.Replace(pair, "{port: 80, targetPort: 9000", "{port: 80, name: http, targetPort: 9000", 1)
	backends := "default: {backendRefs: [{kind: MeshService, name: api, port: 80}]}"
	const to, http = "to: [{targetRef: {kind: MeshService, name: api%s}, rules: [%s]}]", "{matches: [{path: {type: PathPrefix, value: /a}}], "
	of := func(kind, name, spec string) string {
		return fmt.Sprintf("\n---\n{type: %s, mesh: m, name: %s, spec: {%s}}", kind, name, spec)
	}
	routeOf := func(section string) string {
		return of("MeshHTTPRoute", "r", fmt.Sprintf(to, section, http+backends+"}"))
	}
	timeout := of("MeshTimeout", "t", "to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {requestTimeout: 3s}}}]")
	tcp := of("MeshTCPRoute", "tcp", fmt.Sprintf(to, "", "{"+backends+"}"))
	balancer := of("MeshLoadBalancingStrategy", "l", "to: [{targetRef: {kind: MeshService, name: api}, default: {loadBalancer: {type: Random}}}]")
	outliers := of("MeshCircuitBreaker", "b", "to: [{targetRef: {kind: Mesh}, default: {outlierDetection: {disabled: false, detectors: {gatewayFailures: {consecutive: 3}}}}}]")
	failover := of("MeshLoadBalancingStrategy", "l", "to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {crossZone: {failover: []}}}}]")
	threshold := strings.Replace(failover, "failover: []", "failoverThreshold: {percentage: 70}", 1)
	disabled := strings.Replace(failover, "crossZone: {failover: []}", "disabled: true", 1)
	tagged := strings.Replace(pair, "inbound: [{port: 9000, name: main}, ", "inbound: [{port: 9000, name: main, tags: {kuma.io/service: api}}, ", 1)
	logs := of("MeshAccessLog", "log", "to: [{targetRef: {kind: Mesh}, default: {backends: [{type: File, file: {path: /a}}]}}, "+
		"{targetRef: {kind: MeshService, name: api}, default: {backends: [{type: File, file: {path: /b}}]}}]")
	transparent := strings.Replace(pair, "address: 10.0.0.1,", "address: 10.0.0.1, transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {refs: [{kind: MeshService, name: api}]}},", 1)
	roundRobin := of("MeshLoadBalancingStrategy", "l", "to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: RoundRobin}}}]")
	const zones = `
{type: Mesh, name: m, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
---
{type: Dataplane, mesh: m, name: web, labels: {kuma.io/zone: east, kuma.io/origin: zone}, networking: {address: 10.0.0.1, inbound: [{port: 9000, tags: {kuma.io/service: web}}], outbound: [{port: 11000, tags: {kuma.io/service: pay}}]}}
---
{type: Dataplane, mesh: m, name: pay, labels: {kuma.io/zone: west, kuma.io/origin: zone}, networking: {address: 10.0.0.2, inbound: [{port: 9000, tags: {kuma.io/service: pay}}]}}
---
{type: ZoneIngress, name: in, labels: {kuma.io/zone: west, kuma.io/origin: zone}, zone: west, networking: {address: 10.0.0.3, port: 10001, advertisedAddress: 192.0.2.1, advertisedPort: 10001}, availableServices: [{mesh: m, tags: {kuma.io/service: pay}, instances: 1}]}`
	ring := strings.Replace(balancer, "type: Random", "type: RingHash, ringHash: {minRingSize: 10, hashFunction: XXHash}", 1)
	limit := of("MeshRateLimit", "l", "targetRef: {kind: Dataplane}, rules: [{default: {local: {http: {requestRate: {num: 5, interval: 1s}, disabled: false}}}}]")
	bias := strings.Replace(balancer, "type: Random", "type: Random, leastRequest: {activeRequestBias: '1.5'}", 1)
	for _, c := range []struct {
		name, documents, old, edited string
		changes                      bool
	}{
		{"a log for the mesh that no service uses", pair + logs, "/a", "/c", false},
		{"a log for the mesh of what passes through", transparent + logs, "path: /a", "path: /c", true},
		{"a setting of another balancer", pair + bias, bias, balancer, false},
		{"a setting of the balancer", pair + strings.Replace(bias, "Random", "LeastRequest", 1), "1.5", "2.5", true},
		{"a failover, which sets the overprovisioning factor", tagged + failover, failover, "", true},
		{"a threshold that is rounded to another one", pair + threshold, "percentage: 70", "percentage: 50", true},
		{"a threshold that is rounded to the same", pair + threshold, "percentage: 70", "percentage: '99.5'", false},
		{"the default threshold", pair + strings.Replace(threshold, "70", "45", 1), "percentage: 45", "percentage: 50", false},
		{"no threshold", pair + strings.Replace(threshold, "70", "45", 1), "failoverThreshold: {percentage: 45}", "", false},
		{"no locality awareness of what only the own zone has", tagged + disabled, disabled, "", false},
		{"no locality awareness beside a preference, which applies nevertheless", tagged + strings.Replace(disabled, "{disabled", "{localZone: {}, disabled", 1), "true", "false", false},
		{"an affinity tag of a disabled locality awareness", tagged + strings.Replace(disabled, "{disabled", "{localZone: {affinityTags: [{key: rack}]}, disabled", 1), "rack", "row", true},
		{"a route for a section that the outbound does not name", named + routeOf(", sectionName: http") + timeout, "3s", "4s", false},
		{"a route for the section that the outbound has", pair + routeOf(`, sectionName: "80"`) + timeout, "3s", "4s", true},
		{"a MeshTCPRoute that a MeshHTTPRoute replaces", pair + routeOf("") + tcp, tcp, "", false},
		{"a MeshTCPRoute alone", pair + tcp, tcp, "", true},
		{"an outlier detection that is not disabled", pair + outliers, "disabled: false, ", "", false},
		{"an outlier detection that is disabled", pair + outliers, "disabled: false", "disabled: true", true},
		{"the default balancer", pair + strings.Replace(balancer, "Random", "RoundRobin", 1), strings.Replace(balancer, "Random", "RoundRobin", 1), "", false},
		{"the default balancer by tags of another zone, before which any policy puts the own zone", zones + roundRobin, roundRobin, "", true},
		{"the default balancer where the mesh does that", strings.Replace(zones, "name: m, mtls", "name: m, routing: {localityAwareLoadBalancing: true}, mtls", 1) + roundRobin, roundRobin, "", false},
		{"another balancer", pair + balancer, balancer, "", true},
		{"the default hash function", pair + ring, ", hashFunction: XXHash", "", false},
		{"another hash function", pair + ring, "XXHash", "MurmurHash2", true},
		{"a limit that is not disabled", pair + limit, ", disabled: false", "", false},
		{"a limit that is disabled", pair + limit, "disabled: false", "disabled: true", true},
	} {
		summary, names, back := changedBy(t, c.documents, c.old, c.edited)
		if slices.Contains(names, "web") != c.changes || slices.Contains(back, "web") != c.changes { // the Dataplane api does not say what it calls
			t.Errorf("%s: %q and back %q:\n%s", c.name, names, back, summary)
		}
	}
}

// TestTaggedInboundsBesideLocality shows that a proxy whose locality awareness leaves out inbounds without tags changes with a first tag.
func TestTaggedInboundsBesideLocality(t *testing.T) {
	const untagged = "inbound: [{port: 9000, name: main}, "
	for locality, changes := range map[string]bool{
		"localZone: {}": true, "crossZone: {failover: [{to: {type: None}}]}": true, "crossZone: {failover: [{to: {type: Any}}]}": false, "disabled: true": false,
	} {
		policy := "\n---\n{type: MeshLoadBalancingStrategy, mesh: m, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {" + locality + "}}}]}}"
		summary, names, back := changedBy(t, pair+policy, untagged, strings.Replace(untagged, "main", "main, tags: {kuma.io/service: api}", 1))
		if slices.Contains(names, "web") != changes || slices.Contains(back, "web") != changes {
			t.Errorf("%s: %q and back %q:\n%s", locality, names, back, summary)
		}
	}
}

// TestExternalServicesOfZoneEgress shows that a zone egress, which reaches all external services, changes with each of them.
func TestExternalServicesOfZoneEgress(t *testing.T) {
	const service = "\n---\n{type: MeshExternalService, mesh: m, name: ext, spec: {match: {type: HostnameGenerator, port: 80, protocol: http}, endpoints: [{address: ext.example, port: 80}]}}"
	const egress = "\n---\n{type: Dataplane, mesh: m, name: egress, networking: {address: 10.0.0.5, listeners: [{type: ZoneEgress, address: 10.0.0.5, port: 10002}]}}"
	summary, names, back := changedBy(t, pair+egress+service, service, "")
	if !slices.Equal(names, []string{"egress"}) || !slices.Equal(back, names) {
		t.Errorf("%q and back %q:\n%s", names, back, summary)
	}
}

const zoneProxies = `
---
{type: Dataplane, mesh: m, name: in, networking: {address: 10.0.0.5, listeners: [{type: ZoneIngress, address: 10.0.0.5, port: 10001}]}}
---
{type: Dataplane, mesh: m, name: eg, networking: {address: 10.0.0.8, listeners: [{type: ZoneEgress, address: 10.0.0.8, port: 10002}]}}
---
{type: MeshExternalService, mesh: m, name: raw, spec: {match: {type: HostnameGenerator, port: 61, protocol: tcp}, endpoints: [{address: raw.example, port: 80}]}}
---
{type: Dataplane, mesh: m, name: both, networking: {address: 10.0.0.6, listeners: [{type: ZoneIngress, address: 10.0.0.6, port: 10001}, {type: ZoneEgress, address: 10.0.0.6, port: 10002}]}}
---
{type: Dataplane, mesh: m, name: side, networking: {address: 10.0.0.7, inbound: [{port: 9000}], listeners: [{type: ZoneEgress, address: 10.0.0.7, port: 10002}]}}
---
{type: MeshService, mesh: m, name: other, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 90, name: one, targetPort: 9000, appProtocol: http}]}}
---
{type: MeshMultiZoneService, mesh: m, name: all, spec: {selector: {meshService: {matchLabels: {kuma.io/display-name: api}}}, ports: [{port: 70, appProtocol: http}]}}
---
{type: MeshExternalService, mesh: m, name: ext, spec: {match: {type: HostnameGenerator, port: 60, protocol: http}, endpoints: [{address: ext.example, port: 80}]}}`

// TestServicesOfZoneIngress shows that a proxy with a listener for traffic of other zones changes with what they reach through it, and one
// with a listener for traffic out of the mesh with external services, also beside others (`_config` of the preview of 3.0).
func TestServicesOfZoneIngress(t *testing.T) {
	checkChanges(t, pair+zoneProxies, []replacement{
		{"the number of a port", "port: 90, name", "port: 91, name", "both in", "reaches it"},
		{"the name of a port", "name: one", "name: two", "both in", "name: `one` → `two`"},
		{"the protocol of a port", "targetPort: 9000, appProtocol: http}]}}\n---\n{type: MeshMulti", "targetPort: 9000, appProtocol: tcp}]}}\n---\n{type: MeshMulti", "", ""},
		{"the endpoints of a service", "{app: web}}}, ports: [{port: 90", "{app: api}}}, ports: [{port: 90", "both in", "provided by"},
		{"a port of a MeshMultiZoneService", "port: 70", "port: 71", "both in", "reaches it"},
		{"an endpoint of an external service", "ext.example", "ext2.example", "both eg side", "provided by"},
		{"the port of an external service", "port: 60", "port: 62", "both eg side", "port: `60` → `62`"},
	})
}

// TestPoliciesOfZoneProxies shows which settings change the listeners of zone proxies (`_config` of 2.14.3 and the preview).
func TestPoliciesOfZoneProxies(t *testing.T) {
	for policy, want := range map[string]string{
		"MeshCircuitBreaker, rules: [{default: {connectionLimits: {maxConnections: 5}}}]":                                                                                                                   "",
		"MeshTLS, rules: [{default: {mode: Strict}}]":                                                                                                                                                       "",
		"MeshFaultInjection, rules: [{default: {http: [{abort: {httpStatus: 500, percentage: 5}}]}}]":                                                                                                       "both eg",
		"MeshRateLimit, rules: [{default: {local: {http: {requestRate: {num: 3, interval: 1s}}}}}]":                                                                                                         "both eg",
		"MeshRateLimit, rules: [{default: {local: {tcp: {connectionRate: {num: 3, interval: 1s}}}}}]":                                                                                                       "both eg in",
		"MeshTimeout, rules: [{default: {connectionTimeout: 3s}}]":                                                                                                                                          "",
		"MeshTimeout, rules: [{default: {idleTimeout: 3s}}]":                                                                                                                                                "both eg in",
		"MeshTimeout, rules: [{default: {http: {requestTimeout: 3s}}}]":                                                                                                                                     "both eg",
		"MeshTimeout, to: [{targetRef: {kind: Mesh}, default: {http: {maxStreamDuration: 9s}}}]":                                                                                                            "both eg",
		"MeshTimeout, to: [{targetRef: {kind: MeshExternalService, name: raw}, default: {http: {maxStreamDuration: 9s}}}]":                                                                                  "",
		"MeshTimeout, to: [{targetRef: {kind: MeshExternalService, name: raw}, default: {connectionTimeout: 9s}}]":                                                                                          "both eg",
		"MeshTimeout, to: [{targetRef: {kind: MeshService, name: api}, default: {connectionTimeout: 9s}}]":                                                                                                  "",
		"MeshHealthCheck, to: [{targetRef: {kind: MeshExternalService, name: ext}, default: {tcp: {}}}]":                                                                                                    "",
		"MeshHealthCheck, to: [{targetRef: {kind: MeshExternalService, name: ext}, default: {http: {path: /h}}}]":                                                                                           "both eg",
		"MeshTrace, default: {backends: [{type: Zipkin, zipkin: {url: 'http://jaeger:9411/api/v2/spans'}}]}":                                                                                                "both eg",
		"MeshHTTPRoute, to: [{targetRef: {kind: MeshService, name: api}, rules: [{matches: [{path: {type: PathPrefix, value: /a}}], default: {backendRefs: [{kind: MeshService, name: api, port: 80}]}}]}]": "",
	} {
		kind, spec, _ := strings.Cut(policy, ", ")
		if !strings.Contains(spec, "targetRef") && kind != "MeshTrace" {
			spec = "targetRef: {kind: Dataplane}, " + spec
		}
		document := "\n---\n{type: " + kind + ", mesh: m, name: a, spec: {" + spec + "}}"
		summary, names, back := changedBy(t, pair+zoneProxies+document, document, "")
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains([]string{"both", "eg", "in"}, name) })
		back = slices.DeleteFunc(back, func(name string) bool { return !slices.Contains([]string{"both", "eg", "in"}, name) })
		if got := strings.Join(names, " "); got != want || !slices.Equal(names, back) {
			t.Errorf("%s: got %q, back %q:\n%s", policy, got, back, summary)
		}
	}
}

// TestClientsOfZoneEgress shows that clients that a ZoneEgress keeps from a configuration do not change with each change.
func TestClientsOfZoneEgress(t *testing.T) {
	const zoneEgress = "{type: ZoneEgress, name: egress, networking: {address: 10.0.0.5, port: 10002}}"
	without := regexp.MustCompile(`{type: Dataplane, mesh: m, name: egress,.*`).ReplaceAllString(pair+leaving, zoneEgress)
	if summary, names, back := changedBy(t, without, "app: all", "app: all, team: a"); len(names)+len(back) > 0 {
		t.Errorf("a label: got %v, back %v:\n%s", names, back, summary)
	}
}

// TestProxiesByTag compares what provides a value of kuma.io/service, and its protocol.
func TestProxiesByTag(t *testing.T) {
	const world = `
{type: Mesh, name: m}
---
{type: Dataplane, mesh: m, name: web, networking: {address: 10.0.0.1, inbound: [{port: 9000, tags: {kuma.io/service: web}}], outbound: [{port: 11000, tags: {kuma.io/service: api}}]}}
---
{type: Dataplane, mesh: m, name: canary, networking: {address: 10.0.0.2, inbound: [{port: 9000, tags: {kuma.io/service: canary}}], outbound: [{port: 11000, tags: {kuma.io/service: api, version: v1}}]}}
---
{type: Dataplane, mesh: m, name: api, networking: {address: 10.0.0.3, inbound: [{port: 9000, tags: {kuma.io/service: api, kuma.io/protocol: http, version: v1}}]}}
---
{type: Dataplane, mesh: m, name: route, labels: {app: route}, networking: {address: 10.0.0.4, inbound: [{port: 9000, tags: {kuma.io/service: route}}], outbound: [{port: 11000, tags: {kuma.io/service: web}}]}}
---
{type: MeshTCPRoute, mesh: m, name: r, spec: {targetRef: {kind: Dataplane, labels: {app: route}}, to: [{targetRef: {kind: MeshService, name: web}, rules: [{default: {backendRefs: [{kind: MeshServiceSubset, name: api, tags: {version: v1}}]}}]}]}}
`
	checkChanges(t, world, []replacement{
		{"protocol", "kuma.io/protocol: http", "kuma.io/protocol: tcp", "api canary route web", "to kuma.io/service=api\n  - protocol: `http` → `tcp`"},
		{"service", "kuma.io/service: api, kuma.io/protocol", "kuma.io/service: apx, kuma.io/protocol", "canary route web", "provided by nothing, before: api"},
		{"version", "http, version: v1", "http, version: v2", "canary route", "to kuma.io/service=api, version=v1\n  - provided by nothing, before: api"},
		{"address", "address: 10.0.0.3", "address: 10.0.0.9", "api canary route web", "provided by api 10.0.0.9:9000, before: api 10.0.0.3:9000"},
		{"readiness", "{port: 9000, tags: {kuma.io/service: api, kuma.io/protocol", "{port: 9000, state: NotReady, tags: {kuma.io/service: api, kuma.io/protocol", "canary route web", "provided by nothing, before: api"},
		{"another tag", "http, version: v1", "http, version: v1, team: a", "", ""},
	})
	http := strings.NewReplacer("MeshTCPRoute", "MeshHTTPRoute", "rules: [{default", "rules: [{matches: [{path: {type: PathPrefix, value: /a}}], default",
		"service: web}}], outbound", "service: web, kuma.io/protocol: http}}], outbound").Replace(world)
	checkChanges(t, http, []replacement{
		{"the only proxy behind a rule", "kuma.io/service: api, kuma.io/protocol", "kuma.io/service: apx, kuma.io/protocol", "canary route web", "provided by nothing, before: api"},
	})
}

// TestServicesOfMesh compares what clients of a mesh with mutual TLS have for its services, as read from the configuration of
// proxies of Kuma 2.14.3. One of them lists its services, and the other reaches everything.
func TestServicesOfMesh(t *testing.T) {
	const world = `
{type: Mesh, name: m, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, meshServices: {mode: Everywhere}}
---
{type: MeshService, mesh: m, name: api, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, name: main, targetPort: 9000, appProtocol: http}]}}
---
{type: Dataplane, mesh: m, name: all, networking: {address: 10.0.0.1, inbound: [{port: 9000, tags: {kuma.io/service: all}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}
---
{type: Dataplane, mesh: m, name: web, networking: {address: 10.0.0.2, inbound: [{port: 9000, tags: {kuma.io/service: web, rack: r1}}], outbound: [{port: 11000, backendRef: {kind: MeshService, name: other, port: 80}}]}}
---
{type: Dataplane, mesh: m, name: api, networking: {address: 10.0.0.3, inbound: [{port: 9000, tags: {kuma.io/service: api}}, {port: 9001, tags: {kuma.io/service: api-admin}}]}}
---
{type: MeshService, mesh: m, name: other, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}
---
{type: MeshTCPRoute, mesh: m, name: r, spec: {to: [{targetRef: {kind: MeshService, name: other}, rules: [{default: {backendRefs: [{kind: MeshService, name: api, port: 80}]}}]}]}}
---
{type: MeshLoadBalancingStrategy, mesh: m, name: l, spec: {to: [{targetRef: {kind: MeshService, name: other}, default: {localityAwareness: {localZone: {affinityTags: [{key: rack}]}}}}]}}
`
	mesh, rest, _ := strings.Cut(world, "\n---\n")
	generated, _, _ := strings.Cut(rest, "\n---\n")
	checkChanges(t, world, []replacement{
		{"a name in the certificate of a service", "service: api-admin", "service: api-x", "all web", "proxies with `spiffe://m/api` and `spiffe://m/api-x`, before: `spiffe://m/api` and `spiffe://m/api-admin`"},
		{"an affinity tag of an endpoint", "service: api}}, {port: 9001", "service: api, rack: r1}}, {port: 9001", "web", "to MeshService \"other\", port 80\n  - preferred by affinity tags: api rack=r1, before: nothing"},
		{"the address of a backend", "address: 10.0.0.3", "address: 10.0.0.9", "all api web", "provided by api 10.0.0.9:9000, before: api 10.0.0.3:9000"},
		{"the name of an inbound", "{port: 9001, tags", "{port: 9001, name: x, tags", "", ""},
		{"the name of a port", "name: main", "name: other", "all", "name: `main` → `other`"},
		{"another mode", mesh + "\n---\n" + generated, strings.Replace(mesh, "Everywhere", "Disabled", 1), "all web", "to MeshService \"api\"\n  - the proxy no longer reaches it"},
	})
}

// TestPortBehindMultiZoneService shows that another name of a port takes it from a MeshMultiZoneService, which selects
// ports by their names in Kuma 3.0.
func TestPortBehindMultiZoneService(t *testing.T) {
	world := strings.Replace(pair, "{kind: MeshService, name: api, port: 80}", "{kind: MeshMultiZoneService, labels: {app: all}, port: 80}", 1)
	world = strings.Replace(world, "name: api, spec: {selector", "name: api, labels: {app: api}, spec: {selector", 1)
	world = strings.Replace(world, "ports: [{port: 80,", "ports: [{port: 80, name: http,", 1) +
		"---\n{type: MeshMultiZoneService, mesh: m, name: all, labels: {app: all}, spec: {selector: {meshService: {matchLabels: {app: api}}}, ports: [{port: 80, name: http, appProtocol: http}]}}\n"
	for release, want := range map[string]string{"2.14": "", "3.0": "port 80\n  - provided by nothing, before: api"} {
		read := func(text string) *rules.Snapshot {
			return rules.NewSnapshotFor(kuma.ParseRelease(release), testworld.Resources(t, text))
		}
		const port, other = "{port: 80, name: http, targetPort: ", "{port: 80, name: web, targetPort: "
		found := compare(t, read(world), read(strings.Replace(world, port, other, 1)), "m")
		if text := found.Summary(); !strings.Contains(text, want) || len(found.Changed()) != min(1, len(want)) {
			t.Errorf("%s: %s", release, text)
		}
		noInbound := compare(t, read(strings.Replace(world, port, port+"1", 1)), read(strings.Replace(world, port, other+"1", 1)), "m")
		testworld.Equal(t, "changed without an inbound", 0, len(noInbound.Changed()))
	}
}

// TestKeyOfGateway changes a private key, which no summary shows, and whether there is a MeshGateway for a gateway without routes.
func TestKeyOfGateway(t *testing.T) {
	const edge = "---\n{type: Dataplane, mesh: m, name: gate, networking: {address: 10.0.0.9, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}\n---\n" +
		"{type: MeshGateway, mesh: m, name: edge, labels: {team: a}, selectors: [{match: {kuma.io/service: edge}}], " +
		"conf: {listeners: [{port: 443, protocol: HTTPS, tls: {mode: TERMINATE, certificates: [{inlineString: private-one}]}}]}}\n"
	summary, names, back := changedBy(t, pair+edge, "private-one", "private-two")
	testworld.Equal(t, "dataplanes", [][]string{{"gate"}, {"gate"}}, [][]string{names, back})
	if strings.Contains(summary, "private-") || !strings.Contains(summary, "`conf`: `settings` → `other settings`") {
		t.Error(summary)
	}
	if _, names, _ := changedBy(t, pair+edge, "team: a", "team: b"); len(names) > 0 {
		t.Errorf("a label changes %v", names)
	}
	summary, names, back = changedBy(t, pair+edge, "match: {kuma.io/service: edge}", "match: {kuma.io/service: none}")
	testworld.Equal(t, "dataplanes that lose or get their listeners", [][]string{{"gate"}, {"gate"}}, [][]string{names, back})
	if strings.Contains(summary, "private-") || !strings.Contains(summary, `"port":443`) {
		t.Error(summary)
	}
}

// TestIdentityOfZoneIngress changes certificates, which a zone ingress does not use (`_config` of 2.14.3 and the preview).
func TestIdentityOfZoneIngress(t *testing.T) {
	const identity = "\n---\n{type: MeshIdentity, mesh: m, name: id, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: /a}, provider: {type: Bundled}}}"
	_, names, back := changedBy(t, pair+zoneProxies+identity, "path: /a", "path: /b")
	for _, name := range []string{"both", "eg", "web"} {
		if !slices.Contains(names, name) || !slices.Contains(back, name) {
			t.Errorf("%s is not named: %v, back %v", name, names, back)
		}
	}
	if slices.Contains(names, "in") || slices.Contains(back, "in") {
		t.Errorf("the zone ingress is named: %v, back %v", names, back)
	}
}
