package proxy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const reachableWorld = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: m, name: web, labels: {team: a, kuma.io/zone: east}, spec: {ports: [{port: 80, name: http, appProtocol: http}, {port: 81}, {port: 82, appProtocol: HTTP}, {port: 83, appProtocol: mysql}]}}
---
{type: MeshService, mesh: m, name: db, labels: {team: b, kuma.io/zone: east}, spec: {ports: [{port: 80}, {port: 90, name: x}, {port: 91, name: x}]}}
---
{type: MeshService, mesh: m, name: other-db, labels: {team: c, kuma.io/zone: east, kuma.io/display-name: old}, spec: {ports: [{port: 1}]}}
---
{type: MeshService, mesh: m, name: z-old, labels: {kuma.io/zone: east, kuma.io/display-name: old}, spec: {ports: [{port: 2}]}}
---
{type: MeshService, mesh: m, name: named, labels: {kuma.io/zone: east}, spec: {ports: [{port: 1, name: a}, {port: 2, name: b}]}}
---
{type: MeshExternalService, mesh: m, name: ext, labels: {kuma.io/zone: east}, spec: {match: {port: 443, protocol: tcp}}}
`

// layout returns what the control plane shows as the outbounds of a Dataplane of the mesh m.
func layout(s *rules.Snapshot, dataplane string) ([]rules.Port, error) {
	m, err := proxy.New(s, "m")
	if err != nil {
		return nil, err
	}
	return m.Layout(s.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: "m", Name: dataplane})), nil
}

// TestLayout checks which ports the control plane shows as outbounds. The rules were measured
// with random worlds (matching.md §16).
func TestLayout(t *testing.T) {
	t.Parallel()
	const (
		kuma2, kuma3 = "2.14", "3.0"
		web          = "web_http 80 http, web_81 81 tcp"
		db           = "db_80 80 tcp, db_x 91 tcp"
		everything   = "ext_443 443 tcp, " + db + ", named_a 1 tcp, named_b 2 tcp, old_2 2 tcp, " + web
	)
	outbound := func(ref string) string { return "outbound: [{port: 1000, backendRef: " + ref + "}]" }
	backends := func(refs string) string {
		return "transparentProxying: {reachableBackends: {refs: [" + refs + "]}}"
	}
	for name, test := range map[string]struct {
		networking, release string
		restricted          bool
		want                string
	}{
		"no section":                     {"", kuma2, false, everything},
		"no section, 3.0":                {"", kuma3, false, everything},
		"restricted":                     {"", kuma2, true, ""},
		"outbound":                       {outbound("{kind: MeshService, name: web, port: 81}"), kuma2, true, "web_81 81 tcp"},
		"no such port":                   {outbound("{kind: MeshService, name: web, port: 8080}"), kuma2, true, web},
		"no such service":                {outbound("{kind: MeshService, name: wbe, port: 80}"), kuma2, false, everything},
		"no such service, restricted":    {outbound("{kind: MeshService, name: wbe, port: 80}"), kuma2, true, ""},
		"outbound by labels":             {outbound("{kind: MeshService, labels: {team: b}, port: 80}"), kuma2, true, "db_80 80 tcp"},
		"outbound by name, 3.0":          {outbound("{kind: MeshService, name: web, port: 80}"), kuma3, true, "web_http 80 http"},
		"outbound by tag":                {"outbound: [{port: 1000, tags: {kuma.io/service: web}}]", kuma2, false, everything},
		"outbound before backends":       {outbound("{kind: MeshService, name: web, port: 80}") + ", " + backends("{kind: MeshService, name: db}"), kuma2, true, "web_http 80 http"},
		"dangling outbound and backends": {outbound("{kind: MeshService, name: wbe, port: 80}") + ", " + backends("{kind: MeshService, name: db}"), kuma2, false, "db_80 80 tcp"},
		"backend of all ports":           {backends("{kind: MeshService, name: named}"), kuma2, true, "named_a 1 tcp, named_b 2 tcp"},
		"backend with an unnamed port":   {backends("{kind: MeshService, name: web}"), kuma2, true, "web_81 81 tcp"},
		"backend with an unnamed port 2": {backends("{kind: MeshService, labels: {team: a}}"), kuma3, true, "web_81 81 tcp"},
		"backend of one port":            {backends("{kind: MeshService, name: db, port: 91}"), kuma2, true, "db_x 91 tcp"},
		"backends: nothing":              {backends(""), kuma2, false, ""},
		"backends: no such service":      {backends("{kind: MeshService, name: bd}"), kuma2, false, ""},
		"by display name, 3.0":           {backends("{kind: MeshService, labels: {kuma.io/display-name: db}}"), kuma3, true, "db_80 80 tcp"},
		"by display name, 2.14":          {backends("{kind: MeshService, labels: {kuma.io/display-name: db}}"), kuma2, true, ""},
		"by display name and zone":       {backends("{kind: MeshService, labels: {kuma.io/display-name: db, kuma.io/zone: west}}"), kuma3, true, ""},
		"by name, 3.0":                   {backends("{kind: MeshService, name: db}"), kuma3, true, ""},
		"all of a kind, 3.0":             {backends("{kind: MeshExternalService}"), kuma3, true, "ext_443 443 tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resources := testworld.Resources(t, reachableWorld, "{type: Dataplane, mesh: m, name: dp, labels: {kuma.io/zone: east}, networking: {address: 10.0.0.1, "+test.networking+"}}")
			ports, err := layout(rules.NewSnapshotFor(kuma.ParseRelease(test.release), resources).RestrictOutbound(test.restricted), "dp")
			testworld.NoError(t, err)
			got := ""
			for i, p := range ports {
				if i > 0 {
					got += ", "
				}
				id := p.Resource
				if want := "kri_" + map[string]string{kuma.KindMeshService: "msvc", kuma.KindMeshExternalService: "extsvc"}[id.Type] + "_m_east__" + id.Name + "_"; kinds.KRI(id) != want {
					t.Errorf("identifier %s, want %s", kinds.KRI(id), want)
				}
				got += fmt.Sprintf("%s_%s %d %s", id.Name, p.Section, p.Number, p.Protocol)
			}
			testworld.Equal(t, "ports", test.want, got)
		})
	}
}

// TestOutboundsByNameInANamespace checks that in Kuma 3.0 a name in the outbound of a Dataplane
// with a namespace only selects services of that namespace, and labels those of all.
func TestOutboundsByNameInANamespace(t *testing.T) {
	t.Parallel()
	const service = `
---
{type: MeshService, mesh: m, name: app, labels: {kuma.io/zone: east, k8s.kuma.io/namespace: a}, spec: {ports: [{port: 80}]}}`
	for _, test := range []struct{ namespace, ref, want string }{
		{"a", "name: app", "app 80"},
		{"b", "name: app", ""},
		{`""`, "name: app", "app 80"},
		{"b", "labels: {kuma.io/display-name: app}", "app 80"},
	} {
		dataplane := "{type: Dataplane, mesh: m, name: dp, labels: {k8s.kuma.io/namespace: " + test.namespace + "}, networking: {address: 10.0.0.1, outbound: [{port: 1000, backendRef: {kind: MeshService, " + test.ref + ", port: 80}}]}}"
		ports, err := layout(rules.NewSnapshotFor(kuma.ParseRelease("3.0"), testworld.Resources(t, reachableWorld+service, dataplane)).RestrictOutbound(true), "dp")
		testworld.NoError(t, err)
		got := ""
		for _, p := range ports {
			got += fmt.Sprintf("%s %d", p.Resource.Name, p.Number)
		}
		if got != test.want {
			t.Errorf("{%s} in namespace %s reaches %q, want %q", test.ref, test.namespace, got, test.want)
		}
	}
}

// TestListenersByDisplayNameInANamespace checks that a proxy of Kuma 3.0 has listeners for services with a display name only if
// they are in the namespace of its Dataplane, if that has one, although the control plane shows them as outbounds (measured with
// `_config` of the preview).
func TestListenersByDisplayNameInANamespace(t *testing.T) {
	t.Parallel()
	const services = `
---
{type: MeshService, mesh: m, name: app, labels: {kuma.io/zone: east, k8s.kuma.io/namespace: a, svc: app}, spec: {ports: [{port: 80}]}}
---
{type: MeshService, mesh: m, name: own, labels: {kuma.io/zone: east}, spec: {ports: [{port: 80}]}}`
	for _, test := range []struct{ release, labels, ref, want string }{
		{"3.0", "{k8s.kuma.io/namespace: a}", "kuma.io/display-name: app", "app"},
		{"3.0", "{k8s.kuma.io/namespace: a}", "kuma.io/display-name: own", ""},
		{"3.0", "{k8s.kuma.io/namespace: a}", "kuma.io/display-name: own, kuma.io/zone: east", ""},
		{"3.0", "{k8s.kuma.io/namespace: b}", "kuma.io/display-name: app, k8s.kuma.io/namespace: a", "app"},
		{"3.0", "{k8s.kuma.io/namespace: b}", "svc: app", "app"},
		{"3.0", `{k8s.kuma.io/namespace: ""}`, "kuma.io/display-name: own", "own"},
		{"3.0", "{}", "kuma.io/display-name: app", "app"},
		{"2.14", "{k8s.kuma.io/namespace: b}", "svc: app", "app"},
	} {
		dataplane := "{type: Dataplane, mesh: m, name: dp, labels: " + test.labels + ", networking: {address: 10.0.0.1, outbound: [{port: 1000, backendRef: {kind: MeshService, labels: {" + test.ref + "}, port: 80}}]}}"
		m, err := proxy.New(rules.NewSnapshotFor(kuma.ParseRelease(test.release), testworld.Resources(t, reachableWorld+services, dataplane)), "m")
		testworld.NoError(t, err)
		got := ""
		for _, p := range m.Outbounds("dp").Ports() {
			got += p.Resource.Name
		}
		if got != test.want {
			t.Errorf("on %s, {%s} of a Dataplane with %s reaches %q, want %q", test.release, test.ref, test.labels, got, test.want)
		}
	}
}

// TestOutboundsByNameAndLabels checks that the name in an outbound counts beside labels only
// before Kuma 3.0, and only if the labels select nothing.
func TestOutboundsByNameAndLabels(t *testing.T) {
	t.Parallel()
	const services = `
type: Mesh
name: m
---
{type: MeshService, mesh: m, name: a, labels: {team: a, kuma.io/zone: east}, spec: {ports: [{port: 80}]}}
---
{type: MeshService, mesh: m, name: b, labels: {team: b, kuma.io/zone: east}, spec: {ports: [{port: 80}]}}`
	for _, test := range []struct{ release, ref, want string }{
		{"2.14", "name: b, labels: {team: a}", "a"},
		{"3.0", "name: b, labels: {team: a}", "a"},
		{"2.14", "name: b, labels: {team: none}", "b"},
		{"3.0", "name: b, labels: {team: none}", ""},
		{"2.14", "name: none, labels: {team: none}", ""},
		{"2.14", "name: b, labels: {}", "b"},
		{"3.0", "labels: {team: b}", "b"},
	} {
		dataplane := "{type: Dataplane, mesh: m, name: dp, labels: {kuma.io/zone: east}, networking: {address: 10.0.0.1, outbound: [{port: 1000, backendRef: {kind: MeshService, " + test.ref + ", port: 80}}]}}"
		resources := testworld.Resources(t, services, dataplane)
		s := rules.NewSnapshotFor(kuma.ParseRelease(test.release), resources).RestrictOutbound(true)
		ports, err := layout(s, "dp")
		testworld.NoError(t, err)
		var reached, consumed []string
		for _, p := range ports {
			reached = append(reached, p.Resource.Name)
		}
		for _, key := range s.Consumed("m", rules.Outbounds(resources[len(resources)-1])[0]) {
			consumed = append(consumed, key.Name)
		}
		if got := strings.Join(reached, ","); got != test.want {
			t.Errorf("{%s} reaches %q in %s, want %q", test.ref, got, test.release, test.want)
		}
		if got := strings.Join(consumed, ","); got != test.want {
			t.Errorf("{%s} refers to %q in %s, want %q", test.ref, got, test.release, test.want)
		}
	}
}

// TestMultiZoneServicesByName checks that before Kuma 3.0 no Dataplane reaches a MeshMultiZoneService by
// name: it has a zone, also if its document does not say so, and the service has none. Since then, a name is
// a label that services need not have.
func TestMultiZoneServicesByName(t *testing.T) {
	t.Parallel()
	const service = "{type: MeshMultiZoneService, mesh: m, name: all, labels: {team: a}, spec: {selector: {meshService: {matchLabels: {team: a}}}, ports: [{port: 80}]}}"
	for _, test := range []struct{ release, labels, ref, want string }{
		{"2.14", "kuma.io/zone: east", "name: all", "[]"},
		{"2.14", "", "name: all", "[]"},
		{"2.14", "", "labels: {team: a}", "[all]"},
		{"3.0", "", "name: all", "[all]"},
		{"3.0", "", "labels: {kuma.io/display-name: all}", "[all]"},
		{"2.14", "", "labels: {kuma.io/display-name: all}", "[]"},
	} {
		dataplane := "{type: Dataplane, mesh: m, name: dp, labels: {" + test.labels + "}, networking: {address: 10.0.0.1, outbound: [{port: 1000, backendRef: {kind: MeshMultiZoneService, " + test.ref + ", port: 80}}]}}"
		resources := testworld.Resources(t, "{type: Mesh, name: m}", service, dataplane)
		s := rules.NewSnapshotFor(kuma.ParseRelease(test.release), resources).RestrictOutbound(true)
		reached, err := layout(s, "dp")
		testworld.NoError(t, err)
		consumed := s.Consumed("m", rules.Outbounds(resources[len(resources)-1])[0])
		got := fmt.Sprint(phrase.Each(reached, func(p rules.Port) string { return p.Resource.Name }))
		if refers := fmt.Sprint(phrase.Each(consumed, func(k kuma.Key) string { return k.Name })); got != test.want || refers != test.want {
			t.Errorf("%+v: reaches %s and refers to %s", test, got, refers)
		}
	}
}

// TestReachablePortsWithTheSameName checks which of two ports with one name a proxy reaches
// (matching.md §16): the last one, unless a reference names the number of the other.
func TestReachablePortsWithTheSameName(t *testing.T) {
	t.Parallel()
	for refs, want := range map[string]int{
		`{kind: MeshService, labels: {tier: s}}`:                                                               8080,
		`{kind: MeshService, labels: {tier: s}, port: 80}`:                                                     80,
		`{kind: MeshService, labels: {tier: s}, port: 80}, {kind: MeshService, labels: {tier: s}, port: 8080}`: 8080,
		`{kind: MeshService, labels: {tier: s}, port: 8080}, {kind: MeshService, labels: {tier: s}, port: 80}`: 80,
	} {
		s := rules.NewSnapshot(testworld.Resources(t, `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: m, name: s, labels: {tier: s}, spec: {ports: [{port: 80, name: main}, {port: 8080, name: main}]}}
---
{type: Dataplane, mesh: m, name: d, networking: {address: 10.0.0.1, transparentProxying: {reachableBackends: {refs: [`+refs+`]}}}}
`))
		ports, err := layout(s, "d")
		if err != nil || len(ports) != 1 || ports[0].Number != want {
			t.Errorf("%s: %v, want port %d (%v)", refs, ports, want, err)
		}
	}
}

// TestPortsListsAPortOfTwoOutboundsOnce checks that a port is not listed again when an outbound
// to another one stands between two outbounds to it.
func TestPortsListsAPortOfTwoOutboundsOnce(t *testing.T) {
	t.Parallel()
	m, err := proxy.New(rules.NewSnapshot(testworld.Resources(t, `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: m, name: api, labels: {app: api}, spec: {ports: [{port: 80}]}}
---
{type: MeshService, mesh: m, name: db, labels: {app: db}, spec: {ports: [{port: 90}]}}
---
{type: Dataplane, mesh: m, name: d, networking: {address: 10.0.0.1, outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 80}}, {port: 2, backendRef: {kind: MeshService, name: db, port: 90}}, {port: 3, backendRef: {kind: MeshService, name: api, port: 80}}]}}
`)), "m")
	testworld.NoError(t, err)
	var got []int
	for _, port := range m.Outbounds("d").Ports() {
		got = append(got, port.Number)
	}
	testworld.Equal(t, "ports", []int{80, 90}, got)
}

// TestOutbounds checks for what a proxy listens, as measured with the configuration of connected
// proxies in all modes on 2.14.3, and on the preview of 3.0.
func TestOutbounds(t *testing.T) {
	t.Parallel()
	const (
		services = `
{type: MeshService, mesh: m, name: own, labels: {app: own}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 90, targetPort: 9000, appProtocol: http}, {port: 92, targetPort: 9000, appProtocol: HTTP}, {port: 93, targetPort: 9000, appProtocol: mysql}]}}
---
{type: MeshExternalService, mesh: m, name: ext, labels: {app: ext}, spec: {match: {type: HostnameGenerator, port: 70, protocol: http}}}
---
{type: Dataplane, mesh: m, name: api-1, labels: {app: api}, networking: {address: 127.0.0.1, inbound: [{port: 9000, tags: {kuma.io/service: api}}]}}
---
{type: Dataplane, mesh: m, name: db-1, networking: {address: 127.0.0.2, inbound: [{port: 9000, tags: {kuma.io/service: db}}]}}
`
		redirect = "transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001"
		byRef    = "{port: 1002, backendRef: {kind: MeshService, labels: {app: own}, port: 90}}"
		byTag    = "{port: 1001, tags: {kuma.io/service: api}}"
		listener = "listeners: [{type: ZoneIngress, name: zone, address: 127.0.0.3, port: 10001}]"
		ports    = "ext:70 own:90"
		tags     = "api db"
		all      = ports + " " + tags
	)
	for name, tt := range map[string]struct {
		networking                                    string
		disabled, reachableBackends, exclusive, kuma3 string
	}{
		"transparent":                   {redirect + "}", all, tags, ports, ports},
		"inbound only":                  {"transparentProxying: {redirectPortInbound: 15006}", all, tags, ports, ports},
		"empty":                         {"transparentProxying: {}", "", "", "", ""},
		"ports 0":                       {"transparentProxying: {redirectPortInbound: 0, redirectPortOutbound: 0}", "", "", "", ""},
		"services without redirection":  {"transparentProxying: {reachableServices: [api]}", "api", "api", "", ports}, // assumed
		"services beside an outbound":   {"transparentProxying: {reachableServices: [db]}, outbound: [" + byTag + "]", "api", "api", "api", ""},
		"services":                      {redirect + ", reachableServices: [api]}", "api", "api", "", ports},
		"services named *":              {redirect + ", reachableServices: ['*']}", "", "", "", ports},
		"no services":                   {redirect + ", reachableServices: []}", all, tags, ports, ports},
		"backends":                      {redirect + ", reachableBackends: {refs: [{kind: MeshService, labels: {app: own}}]}}", "own:90 " + tags, "own:90 " + tags, "own:90", "own:90"},
		"no backends":                   {redirect + ", reachableBackends: {}}", tags, tags, "", ""},
		"services and backends":         {redirect + ", reachableServices: [db], reachableBackends: {refs: [{kind: MeshService, labels: {app: own}}]}}", "own:90 db", "own:90 db", "own:90", "own:90"},
		"transparent, outbound by tag":  {redirect + "}, outbound: [" + byTag + "]", all, tags, ports, ports},
		"transparent, outbound":         {redirect + "}, outbound: [" + byRef + "]", "own:90 " + tags, tags, "own:90", "own:90"},
		"transparent, to missing port":  {redirect + "}, outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: own}, port: 91}}]", "own:90 " + tags, tags, "own:90", "own:90"},
		"outbound by tag":               {"outbound: [" + byTag + "]", "api", "api", "api", ""},
		"outbound":                      {"outbound: [" + byRef + "]", "own:90", "own:90", "own:90", "own:90"},
		"outbounds":                     {"outbound: [" + byTag + ", " + byRef + "]", "api own:90", "api own:90", "api own:90", "own:90"},
		"two outbounds to a port":       {"outbound: [" + byRef + ", {port: 1003, backendRef: {kind: MeshService, name: own, port: 90}}]", "own:90@1002 own:90@1003", "own:90@1002 own:90@1003", "own:90@1003", "own:90@1003"},
		"outbound to nothing":           {"outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: nope}, port: 90}}]", "", "", "", ""},
		"outbound to a missing port":    {"outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: own}, port: 91}}]", "", "", "", ""},
		"outbounds to closed ports":     {"outbound: [{port: 1, backendRef: {kind: MeshService, name: own, port: 92}}, {port: 2, backendRef: {kind: MeshService, name: own, port: 93}}]", "", "", "", ""},
		"outbound by a tag of no proxy": {"outbound: [{port: 1, tags: {kuma.io/service: nope}}]", "nope", "nope", "nope", ""},
		"nothing":                       {"inbound: []", "", "", "", ""},
		"builtin gateway":               {redirect + "}, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}", "", "", "", ports},
		"zone proxy":                    {redirect + "}, " + listener, "", "", "", ports},
		"zone proxy, services":          {redirect + ", reachableServices: [api]}, " + listener, "api", "api", "", ports},
		"zone proxy, backends":          {redirect + ", reachableBackends: {refs: [{kind: MeshService, labels: {app: own}}]}}, " + listener, "own:90", "own:90", "own:90", "own:90"},
		"zone proxy, outbound by tag":   {"outbound: [" + byTag + "], " + listener, "api", "api", "api", ""},
		"delegated gateway":             {redirect + "}, gateway: {tags: {kuma.io/service: edge}}", all, tags, ports, ports},
	} {
		for mode, want := range map[string]string{"Disabled": tt.disabled, "Everywhere": tt.disabled, "ReachableBackends": tt.reachableBackends, "Exclusive": tt.exclusive, "": tt.kuma3} {
			release := kuma.Newest2()
			if mode == "" {
				release = rules.Newest()
			}
			s := rules.NewSnapshotFor(release, testworld.Resources(t, "{type: Mesh, name: m, meshServices: {mode: \""+mode+"\"}}", services,
				"{type: Dataplane, mesh: m, name: dp, networking: {address: 127.0.0.3, "+tt.networking+"}}")).RestrictOutbound(false)
			m, err := proxy.New(s, "m")
			testworld.NoError(t, err)
			var got []string
			for _, o := range m.Outbounds("dp").All {
				if o.Tags != nil {
					got = append(got, o.Tags[kuma.TagService])
					continue
				}
				text := fmt.Sprintf("%s:%d", o.Port.Resource.Name, o.Port.Number)
				if strings.Contains(want, "@") {
					text += fmt.Sprintf("@%d", o.Address.Port())
				}
				got = append(got, text)
			}
			if text := strings.Join(got, " "); text != want {
				t.Errorf("%s, mode %q: %q, want %q", name, mode, text, want)
			}
		}
	}
}

// TestSectionOfTransparentProxy shows that the settings of a transparent proxy for a port are looked up by its name, also
// if its Dataplane names the port by number (2.14.3 and 3.0).
func TestSectionOfTransparentProxy(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{"": "80", ", transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}": "http"} {
		dataplane := "{type: Dataplane, mesh: m, name: d, networking: {address: 10.0.0.1, inbound: [{port: 80}], " +
			"outbound: [{port: 1000, backendRef: {kind: MeshService, labels: {team: a}, port: 80}}]" + more + "}}"
		m, err := proxy.New(rules.NewSnapshotFor(rules.Newest(), testworld.Resources(t, reachableWorld, dataplane)), "m")
		testworld.NoError(t, err)
		web := kuma.ID{Type: kuma.KindMeshService, Mesh: "m", Zone: "east", Name: "web"}
		testworld.Equal(t, more, want, m.Outbounds("d").Section(web, 80))
	}
}

// TestDrawnBesideMultiZoneService has an outbound that selects two services, after one of them has its own outbound and one of a
// MeshMultiZoneService. Which outbound has the listener for it is not known, but a proxy reaches it anyway (measured on the preview of 3.0).
func TestDrawnBesideMultiZoneService(t *testing.T) {
	t.Parallel()
	m, err := proxy.New(rules.NewSnapshotFor(rules.Newest(), testworld.Resources(t, `
{type: Mesh, name: m}
---
{type: MeshService, mesh: m, name: x, labels: {app: x, team: a}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: y, labels: {app: y, team: a}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshMultiZoneService, mesh: m, name: all, labels: {app: all}, spec: {selector: {meshService: {matchLabels: {app: x}}}, ports: [{port: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: m, name: d, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [
  {port: 1, backendRef: {kind: MeshMultiZoneService, labels: {app: all}, port: 80}}, {port: 2, backendRef: {kind: MeshService, labels: {app: x}, port: 80}},
  {port: 3, backendRef: {kind: MeshService, labels: {team: a}, port: 80}}]}}
`)), "m")
	testworld.NoError(t, err)
	got := map[string][2]bool{}
	for _, name := range []string{"x", "y"} {
		id := kuma.ID{Type: kuma.KindMeshService, Mesh: "m", Name: name}
		got[name] = [2]bool{m.Outbounds("d").IsDrawn(id, 80), m.Outbounds("d").MayReach(id, 80)}
	}
	testworld.Equal(t, "drawn, and perhaps not reached", map[string][2]bool{"x": {true, false}, "y": {true, true}}, got)
}

// TestOutboundToSeveralServices has an outbound whose labels several services have: without a transparent proxy, the oldest service gets
// its traffic, also if it lacks the port (measured on 2.14.3 and the preview of 3.0).
func TestOutboundToSeveralServices(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: m, name: a, labels: {tier: back}, spec: {ports: [{port: 80, appProtocol: http}, {port: 81, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: b, labels: {tier: back}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: m, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {tier: back}, port: %d}}]}}`
	for name, tt := range map[string]struct {
		port    int
		created [2]time.Time // of a and b
		want    string
	}{
		"the younger one has the port":   {81, [2]time.Time{time.Unix(2, 0), time.Unix(1, 0)}, ""},
		"the oldest one":                 {80, [2]time.Time{time.Unix(2, 0), time.Unix(1, 0)}, "b"},
		"one is not stored yet":          {80, [2]time.Time{time.Unix(2, 0)}, "a"},
		"none is stored yet":             {80, [2]time.Time{}, "a, drawn b, drawn"},
		"created at the same time":       {80, [2]time.Time{time.Unix(2, 0), time.Unix(2, 0)}, "a, drawn b, drawn"},
		"the order of names is not that": {80, [2]time.Time{time.Unix(1, 0), time.Unix(2, 0)}, "a"},
	} {
		for _, release := range []kuma.Release{kuma.Newest2(), rules.Newest()} {
			resources := testworld.Resources(t, fmt.Sprintf(world, tt.port))
			for i, created := range tt.created {
				resources[i+1].CreationTime = created
			}
			mesh, err := proxy.New(rules.NewSnapshotFor(release, resources), "m")
			testworld.NoError(t, err)
			var got []string
			for _, o := range mesh.Outbounds("web-1").All {
				got = append(got, o.Port.Resource.Name+map[bool]string{true: ", drawn"}[o.Drawn])
			}
			testworld.Equal(t, name, tt.want, strings.Join(got, " "))
		}
	}
}
