package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestReachableServices checks which services proxies reach after a change of a Dataplane,
// of a service and of the release: Kuma 3.0 restricts proxies to what they list.
func TestReachableServices(t *testing.T) {
	t.Parallel()
	const (
		services = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {kuma.io/display-name: api, team: a}, spec: {ports: [{port: 80}]}}
---
{type: MeshService, mesh: shop, name: db, labels: {kuma.io/display-name: db}, spec: {ports: [{port: 80}]}}
---
`
		added        = "---\n{type: MeshService, mesh: shop, name: new, spec: {ports: [{port: 80}]}}\n"
		kuma2, kuma3 = "2.14", "3.0"
	)
	lists := func(names ...string) string {
		var refs []string
		for _, name := range names {
			refs = append(refs, "{kind: MeshService, labels: {kuma.io/display-name: "+name+"}}")
		}
		return "transparentProxying: {reachableBackends: {refs: [" + strings.Join(refs, ", ") + "]}}"
	}
	const (
		toMultiZone = "outbound: [{port: 1, backendRef: {kind: MeshMultiZoneService, labels: {app: all}, port: 80}}]"
		multiZone   = "---\n{type: MeshMultiZoneService, mesh: shop, name: all, labels: {app: all}, spec: {selector: {meshService: {matchLabels: {team: b}}}, ports: [{port: 80}]}}\n"
		ofTeam      = "---\n{type: MeshService, mesh: shop, name: db, labels: {kuma.io/display-name: db, team: b}, spec: {selector: {dataplaneRef: {name: web}}, ports: [{port: 80, targetPort: %d}]}}\n"
		// by a reference and by a tag
		twice = "outbound: [{port: 1, backendRef: {kind: MeshService, name: db, port: 80}}, {port: 2, tags: {kuma.io/service: db}}]"
		byTag = "---\n{type: Mesh, name: shop, meshServices: {mode: Everywhere}}\n---\n{type: MeshService, mesh: shop, name: db, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: %d}]}}\n"
	)
	const all = "transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}"
	web := func(networking string) string {
		return "---\n{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80}], " + networking + "}}\n---\n{type: Dataplane, mesh: shop, name: web-2, networking: {address: 10.0.0.2, inbound: [{port: 80}], " + networking + "}}\n"
	}
	for name, test := range map[string]struct {
		before, after, releaseBefore, releaseAfter string
		want                                       []string
	}{
		"list":                 {web(all), web(lists("api")), kuma2, kuma2, []string{"web, web-2: kri_msvc_shop___db_ true -> false"}},
		"other list":           {web(lists("db")), web(lists("api")), kuma3, kuma3, []string{"web, web-2: kri_msvc_shop___api_ false -> true", "web, web-2: kri_msvc_shop___db_ true -> false"}},
		"same list":            {web(lists("db", "api")), web(lists("api", "db")), kuma3, kuma3, nil},
		"list removed":         {web(lists("db")), web(all), kuma2, kuma2, []string{"web, web-2: kri_msvc_shop___api_ false -> true"}},
		"upgrade":              {web(all), web(all), kuma2, kuma3, []string{"web, web-2: kri_msvc_shop___api_ true -> false", "web, web-2: kri_msvc_shop___db_ true -> false", "web, web-2: outside true -> false"}},
		"upgrade, listed":      {web(lists("api")), web(lists("api")), kuma2, kuma3, nil},
		"upgrade, no listener": {web("outbound: []"), web("outbound: []"), kuma2, kuma3, nil},
		"service, no list":     {web(all), web(all) + added, kuma2, kuma2, nil},
		"new service, listed": {
			web("outbound: []"), web("outbound: [{port: 1, backendRef: {kind: MeshService, name: new, port: 80}}]") + added, kuma2, kuma2,
			[]string{"web, web-2: kri_msvc_shop___new_ false -> true"},
		},
		"removed service, no longer listed": {
			web("outbound: [{port: 1, backendRef: {kind: MeshService, name: new, port: 80}}]") + added, web("outbound: []"), kuma2, kuma2,
			[]string{"web, web-2: kri_msvc_shop___new_ true -> false"},
		},
		"removed service, no list": {web(all) + added, web(all), kuma2, kuma2, nil},
		"port of a service": {
			web(all), web(all) + "---\n{type: MeshService, mesh: shop, name: api, labels: {kuma.io/display-name: api, team: a}, spec: {ports: [{port: 81}]}}\n", kuma2, kuma2,
			[]string{"web, web-2: kri_msvc_shop___api_80 true -> false"},
		},
		"port of an outbound": {
			web("outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 80}}]"),
			web("outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 81}}]") + "---\n{type: MeshService, mesh: shop, name: api, labels: {kuma.io/display-name: api, team: a}, spec: {ports: [{port: 81}]}}\n", kuma2, kuma2,
			[]string{"web, web-2: kri_msvc_shop___api_80 true -> false", "web, web-2: kri_msvc_shop___api_81 false -> true"},
		},
		"first service of a MeshMultiZoneService": {
			web(toMultiZone) + multiZone, web(toMultiZone) + multiZone + fmt.Sprintf(ofTeam, 80), kuma2, kuma2, []string{"web, web-2: kri_mzsvc_shop___all_ false -> true"},
		},
		"first service without endpoints":   {web(toMultiZone) + multiZone, web(toMultiZone) + multiZone + fmt.Sprintf(ofTeam, 81), kuma2, kuma2, nil},
		"removed service without endpoints": {web(toMultiZone) + multiZone + fmt.Sprintf(ofTeam, 81), web(toMultiZone) + multiZone, kuma2, kuma2, nil},
		"reference beside a tag": {
			web(twice) + fmt.Sprintf(byTag, 80), web(twice) + fmt.Sprintf(byTag, 81), kuma2, kuma2, []string{"web, web-2: kri_msvc_shop___db_ true -> false"},
		},
		"new port of a reference beside a tag": {
			web(twice) + fmt.Sprintf(byTag, 81), web(twice) + fmt.Sprintf(byTag, 80), kuma2, kuma2, []string{"web, web-2: kri_msvc_shop___db_ false -> true"},
		},
		"labels of a service": {
			web("outbound: [{port: 1, backendRef: {kind: MeshService, labels: {team: a}, port: 80}}]"),
			web("outbound: [{port: 1, backendRef: {kind: MeshService, labels: {team: a}, port: 80}}]") + "---\n{type: MeshService, mesh: shop, name: api, labels: {kuma.io/display-name: api}, spec: {ports: [{port: 80}]}}\n",
			kuma3, kuma3,
			[]string{"web, web-2: kri_msvc_shop___api_ true -> false"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snapshot := func(documents, release string) *rules.Snapshot {
				return rules.NewSnapshotFor(kuma.ParseRelease(release), testworld.Resources(t, services, documents))
			}
			before, after := snapshot(test.before, test.releaseBefore), snapshot(test.after, test.releaseAfter)
			found := compare(t, before, after, "shop")
			var got []string
			for _, r := range found.Rows() {
				if r.Type != kuma.KindDataplane || r.Path != impact.ReachablePath {
					t.Errorf("change of %s of %s", r.Path, r.Type)
				}
				got = append(got, fmt.Sprintf("%s: %s %s -> %s", strings.Join(r.Dataplanes, ", "), r.Destination, value(r.Before), value(r.After)))
			}
			testworld.Equal(t, "changes", test.want, got)
			if text := found.Summary(); len(test.want) > 0 && !strings.Contains(text, "the proxy no longer reaches it") && !strings.Contains(text, "the proxy reaches it now") {
				t.Errorf("summary without the change:\n%s", text)
			}
			ofTimeouts, err := impact.Compare(before, after, "shop", "MeshTimeout")
			if err != nil || len(ofTimeouts.Rows()) > 0 {
				t.Errorf("changes of timeouts: %v, error %v", ofTimeouts.Rows(), err)
			}
		})
	}
}

// TestTrafficToTheOutside checks that a change counts which no policy shows: whether transparent
// proxies let traffic through to destinations that do not belong to the mesh.
func TestTrafficToTheOutside(t *testing.T) {
	t.Parallel()
	const (
		mesh    = "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}\n---\n"
		closed  = "{type: Mesh, name: shop, meshServices: {mode: Exclusive}, networking: {outbound: {passthrough: false}}}\n---\n"
		proxies = `
{type: Dataplane, mesh: shop, name: web-1, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {}}}}
---
{type: Dataplane, mesh: shop, name: web-2, labels: {app: web}, networking: {address: 10.0.0.2, inbound: [{port: 80}], transparentProxying: {reachableBackends: {}}}}
---
`
		passthrough  = "{type: MeshPassthrough, mesh: shop, name: p, spec: {targetRef: {kind: Mesh}, default: {passthroughMode: %s}}}"
		kuma2, kuma3 = "2.14", "3.0"
		lost, gained = "web-1: outside true -> false", "web-1: outside false -> true"
	)
	all, none, matched := fmt.Sprintf(passthrough, "All"), fmt.Sprintf(passthrough, "None"), fmt.Sprintf(passthrough, "Matched, appendMatch: [{type: Domain, value: a.example, port: 443, protocol: tls}]")
	for name, test := range map[string]struct {
		before, after, releaseBefore, releaseAfter string
		want                                       []string
	}{
		"upgrade":                       {mesh + proxies, mesh + proxies, kuma2, kuma3, []string{lost}},
		"upgrade of a closed mesh":      {closed + proxies, closed + proxies, kuma2, kuma3, nil},
		"upgrade with a policy":         {mesh + proxies + all, mesh + proxies + all, kuma2, kuma3, nil},
		"upgrade with destinations":     {mesh + proxies + matched, mesh + proxies + matched, kuma2, kuma3, nil},
		"the setting of the Mesh":       {mesh + proxies, closed + proxies, kuma2, kuma2, []string{lost}},
		"the same on 3.0":               {mesh + proxies, closed + proxies, kuma3, kuma3, nil},
		"a policy that changes nothing": {mesh + proxies, mesh + proxies + all, kuma2, kuma2, nil},
		"a policy on 3.0":               {mesh + proxies, mesh + proxies + all, kuma3, kuma3, []string{gained}},
		"a policy that allows nothing":  {mesh + proxies, mesh + proxies + none, kuma2, kuma2, []string{lost}},
		"a policy that is removed":      {mesh + proxies + none, mesh + proxies, kuma2, kuma2, []string{gained}},
		"other values of a policy":      {mesh + proxies + all, mesh + proxies + none, kuma2, kuma2, nil}, // the setting shows it
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snapshot := func(documents, release string) *rules.Snapshot {
				return rules.NewSnapshotFor(kuma.ParseRelease(release), testworld.Resources(t, strings.TrimSuffix(documents, "---\n")))
			}
			found := compare(t, snapshot(test.before, test.releaseBefore), snapshot(test.after, test.releaseAfter), "shop")
			var got []string
			for _, r := range found.Rows() {
				if r.Type == kuma.KindDataplane {
					got = append(got, fmt.Sprintf("%s: %s %s -> %s", strings.Join(r.Dataplanes, ", "), r.Destination, value(r.Before), value(r.After)))
				}
			}
			testworld.Equal(t, "changes", test.want, got)
			const about = "- Dataplane, to destinations outside the mesh\n"
			if text := found.Summary(); strings.Contains(text, about) != (len(test.want) > 0) {
				t.Errorf("summary:\n%s", text)
			}
			rehearsed := test.releaseBefore != test.releaseAfter && len(test.want) > 0
			if text := found.Summary(); strings.Contains(text, "rehearses") != rehearsed {
				t.Errorf("the summary names a rehearsal: %t, want %t\n%s", !rehearsed, rehearsed, text)
			}
		})
	}
}

// TestHostNamesByTags shows that mode Exclusive takes the host names NAME.mesh from transparent proxies, although they
// still reach the MeshService with the same proxies.
func TestHostNamesByTags(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Everywhere}}
---
{type: Dataplane, mesh: shop, name: api-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: api}}], outbound: [{port: 1, tags: {kuma.io/service: api}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2}}}
---
{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, targetPort: 80}]}}
`
	found := compare(t, snapshotOf(t, world), snapshotOf(t, strings.Replace(world, "Everywhere", "Exclusive", 1)), "shop")
	testworld.Equal(t, "changed proxies", []string{"web-1"}, found.Changed())
}

// TestEndpoints shows which clients send requests to other proxies after a change.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {team: a}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: MeshService, mesh: shop, name: db, labels: {team: a}, spec: {selector: {dataplaneLabels: {matchLabels: {app: db}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: MeshMultiZoneService, mesh: shop, name: all, labels: {app: all}, spec: {selector: {meshService: {matchLabels: {team: a}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}
---
{type: Dataplane, mesh: shop, name: db-1, labels: {app: db}, networking: {address: 10.0.0.2, inbound: [{port: 80}]}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.3, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 80}}, {port: 2, backendRef: {kind: MeshMultiZoneService, labels: {app: all}, port: 80}}]}}
`
	const toAPI, toAll = `Dataplane, to MeshService "api": `, `Dataplane, to MeshMultiZoneService "all": `
	for name, test := range map[string]struct {
		after string
		want  []string
	}{
		"selector": {
			strings.Replace(world, "matchLabels: {app: api}", "matchLabels: {app: db}", 1),
			[]string{toAPI + "provided by db-1, before: api-1", toAll + "provided by db-1, before: api-1 and db-1"},
		},
		"label of a Dataplane": {
			strings.Replace(world, "labels: {app: api}", "labels: {app: db}", 1),
			[]string{toAPI + "provided by nothing, before: api-1"},
		},
		"label of a MeshService": {strings.Replace(world, "name: db, labels: {team: a}", "name: db", 1), []string{toAll + "provided by api, before: api and db"}},
		"another port":           {strings.Replace(world, "ports: [{port: 80, targetPort: 80}]", "ports: [{port: 80, targetPort: 80}, {port: 81, targetPort: 80}]", 1), nil},
		"copy of a MeshService":  {world + "---\n{type: MeshService, mesh: shop, name: api-copy, labels: {kuma.io/display-name: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80}]}}\n", nil},
		"another Dataplane":      {world + "---\n{type: Dataplane, mesh: shop, name: api-2, labels: {app: api}, networking: {address: 10.0.0.4, inbound: [{port: 80}]}}\n", nil},
	} {
		found := compare(t, snapshotOf(t, world), snapshotOf(t, test.after), "shop")
		var got []string
		for _, r := range found.Rows() {
			if testworld.Equal(t, name, []string{"web"}, r.Dataplanes); r.Path == impact.EndpointsPath {
				got = append(got, r.String())
			}
		}
		testworld.Equal(t, name, test.want, got)
	}
}

// TestServices shows changes of services that keep their Dataplanes, and of certificates.
func TestServices(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
---
{type: HostnameGenerator, name: g, spec: {selector: {meshService: {matchLabels: {team: a}}}, template: "{{ .DisplayName }}.svc"}}
---
{type: MeshIdentity, mesh: shop, name: id, spec: {selector: {dataplane: {matchLabels: {app: db}}}, spiffeID: {trustDomain: td, path: /x}, provider: {type: Bundled}}}
---
{type: MeshService, mesh: shop, name: api, labels: {team: a}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshExternalService, mesh: shop, name: ext, spec: {match: {type: HostnameGenerator, port: 443, protocol: tcp}, tls: {enabled: true}, endpoints: [{address: a.example.com, port: 443}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: all, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}
---
{type: Dataplane, mesh: shop, name: db-1, labels: {app: db}, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: db}}]}}
---
{type: Dataplane, mesh: shop, name: web, labels: {app: web}, networking: {address: 10.0.0.3, inbound: [{port: 80, tags: {kuma.io/service: web}}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2}}}
`
	const of, api = "Dataplane, ", `Dataplane, to MeshService "api"`
	backend := of + `for the proxy: the proxy gets another certificate, ` + "`backend \"ca2\" of the mesh`; before: `backend \"ca\" of the mesh`"
	for name, test := range map[string]struct {
		from, to string
		want     []string
	}{
		"address of a Dataplane": {"10.0.0.1", "10.0.0.9", []string{api + ": provided by api-1 10.0.0.9:80, before: api-1 10.0.0.1:80", of + "for the proxy: `networking.address`: `10.0.0.1` → `10.0.0.9`, set by api-1"}},
		"inbound not ready":      {"{port: 80, tags: {kuma.io/service: api}}", "{port: 80, state: NotReady, tags: {kuma.io/service: api}}", []string{api + ": provided by nothing, before: api-1"}},
		"protocol":               {"appProtocol: http", "appProtocol: tcp", []string{api + ", port 80: protocol: `http` → `tcp`"}},
		"host names":             {".svc", ".mesh", []string{api + ": host names: api.mesh, before: api.svc"}},
		"backend of the mesh":    {"{enabledBackend: ca, backends: [{name: ca,", "{enabledBackend: ca2, backends: [{name: ca2,", []string{backend}},
		"trust domain":           {"trustDomain: td", "trustDomain: td2", []string{of + "for the proxy: the proxy gets another certificate, `spiffe://td2/x`; before: `spiffe://td/x`"}},
	} {
		after := strings.Replace(world, test.from, test.to, 1)
		found := compare(t, snapshotOf(t, world), snapshotOf(t, after), "shop")
		var got []string
		for _, r := range found.Rows() {
			if r.Type == kuma.KindDataplane {
				got = append(got, r.String())
			}
		}
		if testworld.Equal(t, name, test.want, got); world == after {
			t.Errorf("%s changes nothing", name)
		}
	}
}

// TestServiceWithoutListener shows that a service without a listener, because its routes have no backend that exists, changes no proxy.
func TestServiceWithoutListener(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshExternalService, name: ext, port: 80}}]}}
---
{type: %sRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshExternalService, name: ext}, rules: [{%s}]}]}}
---
`
	const ext = "{type: MeshExternalService, mesh: shop, name: ext, spec: {match: {port: 80, protocol: %s}, endpoints: [{address: a.example, port: 1}]}}"
	for name, test := range map[string]struct {
		kind, rule, protocol string
		want                 []string
	}{
		"HTTP, port is missing":          {"MeshHTTP", "matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: api, port: 81}]}", "http", nil},
		"HTTP":                           {"MeshHTTP", "matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: api, port: 80}]}", "http", []string{"web"}},
		"connections, port is missing":   {"MeshTCP", "default: {backendRefs: [{kind: MeshService, name: api, port: 81}]}", "tcp", []string{"web"}},
		"connections, nothing by labels": {"MeshTCP", "default: {backendRefs: [{kind: MeshService, labels: {a: b}, port: 80}]}", "tcp", nil},
	} {
		before := fmt.Sprintf(world, test.kind, test.rule)
		after := before + fmt.Sprintf(ext, test.protocol)
		for _, change := range [][2]string{{before, after}, {after, before}} {
			found := compare(t, snapshotOf(t, change[0]), snapshotOf(t, change[1]), "shop")
			if got := found.Changed(); !slices.Equal(got, test.want) {
				t.Errorf("%s: %v change, want %v\n%s", name, got, test.want, found.Summary())
			}
		}
	}
}

// TestHostNamesOfOneZone removes the HostnameGenerator of one of two zones that give a service the same name, as a global control plane has them.
func TestHostNamesOfOneZone(t *testing.T) {
	const generator = "\n---\n{type: HostnameGenerator, name: g-%[1]s, labels: {kuma.io/zone: %[1]s}, spec: {selector: {meshMultiZoneService: {matchLabels: {app: a}}}, template: '{{ .DisplayName }}.multi'}}"
	const client = "\n---\n{type: Dataplane, mesh: m, name: %[1]s, labels: {kuma.io/zone: %[1]s, app: a}, networking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}"
	documents := fmt.Sprintf(`{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: m, name: a, labels: {app: a, kuma.io/zone: east}, spec: {selector: {dataplaneLabels: {matchLabels: {app: a}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: MeshMultiZoneService, mesh: m, name: all, labels: {app: a}, spec: {selector: {meshService: {matchLabels: {app: a}}}, ports: [{port: 80}]}}`+client, "east") +
		fmt.Sprintf(client, "west") + fmt.Sprintf(generator, "west")
	summary, names, back := changedBy(t, documents+fmt.Sprintf(generator, "east"), fmt.Sprintf(generator, "east"), "")
	if !slices.Equal(names, []string{"east"}) || !slices.Equal(back, names) || !strings.Contains(summary, "host names: nothing, before: all.multi") {
		t.Errorf("%v, back %v:\n%s", names, back, summary)
	}
}

// TestEndpointsOfOtherZones changes a label by which a service selects its only Dataplane: proxies of other zones have the address of the zone.
func TestEndpointsOfOtherZones(t *testing.T) {
	const client = "\n---\n{type: Dataplane, mesh: m, name: %[1]s, labels: {kuma.io/zone: %[1]s}, networking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}"
	documents := `{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: a, labels: {kuma.io/zone: east, app: a}, networking: {address: 10.0.0.2, inbound: [{port: 80}]}}
---
{type: MeshService, mesh: m, name: a, labels: {kuma.io/zone: east}, spec: {selector: {dataplaneLabels: {matchLabels: {app: a}}}, ports: [{port: 80, targetPort: 80}]}}` +
		fmt.Sprintf(client, "east") + fmt.Sprintf(client, "west")
	summary, names, back := changedBy(t, documents, ", app: a", "")
	if !slices.Equal(names, []string{"east"}) || !slices.Equal(back, names) || !strings.Contains(summary, "provided by nothing, before: a") {
		t.Errorf("%v, back %v:\n%s", names, back, summary)
	}
}
