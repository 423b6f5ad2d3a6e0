package kinds_test

import (
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestGeneratedServices compares generated MeshServices with those of control planes of
// releases 2.9.0, 2.11.18 and 2.14.3.
func TestGeneratedServices(t *testing.T) {
	t.Parallel()
	const (
		everything = "2.9.0 2.11.18 2.14.3"
		inbounds   = "{port: 80, name: http, tags: {kuma.io/service: web, kuma.io/protocol: http}}, {port: 81, tags: {kuma.io/service: web}}, {port: 90, tags: {kuma.io/service: adm}}"
	)
	sidecar := func(name, inbounds string, second int) kuma.Resource {
		r := testworld.Resources(t, "{type: Dataplane, mesh: shop, name: "+name+", networking: {address: 10.0.0.1, inbound: ["+inbounds+"]}}")[0]
		if second > 0 {
			r.CreationTime = time.Unix(int64(second), 0)
		}
		return r
	}
	tcp := func(port string) string {
		return "{name: '" + port + "', port: " + port + ", targetPort: " + port + ", appProtocol: tcp}"
	}
	web := map[string]string{"web": "[{name: http, port: 80, targetPort: 80, appProtocol: http}, " + tcp("81") + "]", "adm": "[" + tcp("90") + "]"}
	port80, port81 := "{port: 80, tags: {kuma.io/service: web}}", "{port: 81, tags: {kuma.io/service: web}}"
	for name, test := range map[string]struct {
		mode       string
		dataplanes []kuma.Resource
		releases   string
		want       map[string]string // ports by name
	}{
		"Exclusive":            {"Exclusive", []kuma.Resource{sidecar("a", inbounds, 1)}, everything, web},
		"Everywhere":           {"Everywhere", []kuma.Resource{sidecar("a", inbounds, 1)}, everything, web},
		"ReachableBackends":    {"ReachableBackends", []kuma.Resource{sidecar("a", inbounds, 1)}, everything, web},
		"Disabled":             {"Disabled", []kuma.Resource{sidecar("a", inbounds, 1)}, everything, map[string]string{}},
		"by creation":          {"Exclusive", []kuma.Resource{sidecar("a", port81, 2), sidecar("b", port80, 1)}, everything, map[string]string{"web": "[" + tcp("80") + "]"}},
		"planned last":         {"Exclusive", []kuma.Resource{sidecar("a", port81, 0), sidecar("b", port80, 1)}, everything, map[string]string{"web": "[" + tcp("80") + "]"}},
		"planned by name":      {"Exclusive", []kuma.Resource{sidecar("b", port81, 0), sidecar("a", port80, 0)}, everything, map[string]string{"web": "[" + tcp("80") + "]"}},
		"ignored inbound":      {"Exclusive", []kuma.Resource{sidecar("a", "{port: 80, state: Ignored, tags: {kuma.io/service: web}}", 1)}, everything, map[string]string{"web": "[" + tcp("80") + "]"}},
		"protocol of inbound":  {"Exclusive", []kuma.Resource{sidecar("a", "{port: 80, protocol: grpc, tags: {kuma.io/service: web, kuma.io/protocol: http}}", 1)}, "2.14.3", map[string]string{"web": "[{name: '80', port: 80, targetPort: 80, appProtocol: grpc}]"}},
		"protocol in capitals": {"Exclusive", []kuma.Resource{sidecar("a", "{port: 80, tags: {kuma.io/service: web, kuma.io/protocol: HTTP}}", 1)}, "2.14.3", map[string]string{"web": "[{name: '80', port: 80, targetPort: 80, appProtocol: http}]"}},
		"older capitals":       {"Exclusive", []kuma.Resource{sidecar("a", "{port: 80, tags: {kuma.io/service: web, kuma.io/protocol: HTTP}}", 1)}, "2.9.0 2.11.18", map[string]string{"web": "[{name: '80', port: 80, targetPort: 80, appProtocol: HTTP}]"}},
		"no tag":               {"Exclusive", []kuma.Resource{sidecar("a", "{port: 80}", 1)}, "2.14.3", map[string]string{}},
		"names no label":       {"Exclusive", []kuma.Resource{sidecar("a", "{port: 80, tags: {kuma.io/service: a.b}}, {port: 81, tags: {kuma.io/service: 9}}, {port: 82, tags: {kuma.io/service: a_b}}", 1)}, "2.11.18 2.14.3", map[string]string{}},
		"older names no label": {"Exclusive", []kuma.Resource{sidecar("a", "{port: 80, tags: {kuma.io/service: a.b}}, {port: 81, tags: {kuma.io/service: '9'}}, {port: 82, tags: {kuma.io/service: A_b}}", 1)}, "2.9.0", map[string]string{"a.b": "[" + tcp("80") + "]", "9": "[" + tcp("81") + "]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mesh := testworld.Resources(t, "{type: Mesh, name: shop, meshServices: {mode: "+test.mode+"}}")[0]
			for version := range strings.FieldsSeq(test.releases) {
				cp := zone
				cp.Release = kuma.ParseRelease(version)
				got, want := map[string]any{}, map[string]any{}
				for _, r := range kinds.GeneratedServices(mesh, test.dataplanes, cp) {
					got[r.Name] = map[string]any{"labels": r.Labels, "spec": r.Spec()}
				}
				for name, ports := range test.want {
					labels := map[string]string{
						kuma.LabelDisplayName: name, kuma.LabelManagedBy: "meshservice-generator", kuma.LabelMesh: "shop",
						kuma.LabelEnv: "universal", kuma.LabelOrigin: "zone", kuma.LabelZone: cp.Zone,
					}
					if version == "2.9.0" {
						delete(labels, kuma.LabelZone)
					}
					want[name] = map[string]any{"labels": labels, "spec": testworld.Document(t, "{state: Unavailable, selector: {dataplaneTags: {kuma.io/service: '"+name+"'}}, ports: "+ports+"}")}
				}
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", version, diff)
				}
			}
		})
	}
}

// TestGeneratedServicesOfKuma3 compares generated MeshServices with those of a control plane
// of 3.0: the workload is the service, with all inbounds of one Dataplane.
func TestGeneratedServicesOfKuma3(t *testing.T) {
	t.Parallel()
	cp := zone
	cp.Release = kuma.ParseRelease("3.0")
	dataplanes := testworld.Resources(t, `
{type: Dataplane, mesh: shop, name: a, labels: {kuma.io/workload: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, name: http, protocol: http}, {port: 81}, {port: 82, protocol: GRPC, state: Ignored}]}}
---
{type: Dataplane, mesh: shop, name: b, labels: {kuma.io/workload: web}, networking: {address: 10.0.0.2, inbound: [{port: 99}]}}
---
{type: Dataplane, mesh: shop, name: c, labels: {kuma.io/workload: adm}, networking: {address: 10.0.0.3, inbound: [{port: 90, protocol: mysql}]}}
---
{type: Dataplane, mesh: shop, name: d, labels: {kuma.io/workload: ingress}, networking: {address: 10.0.0.4, listeners: [{type: ZoneIngress, address: 10.0.0.4, port: 10001}]}}
---
{type: Dataplane, mesh: shop, name: e, networking: {address: 10.0.0.5, inbound: [{port: 80, tags: {kuma.io/service: old}}]}}
`)
	got := kinds.GeneratedServices(testworld.Resource(t, "{type: Mesh, name: shop}"), dataplanes, cp)
	if len(got) != 1 {
		t.Fatalf("%d MeshServices, want 1: %v", len(got), got)
	}
	want := testworld.Resource(t, `{type: MeshService, mesh: shop, name: web,
		labels: {kuma.io/display-name: web, kuma.io/env: universal, kuma.io/managed-by: meshservice-generator, kuma.io/mesh: shop, kuma.io/origin: zone, kuma.io/zone: `+cp.Zone+`},
		spec: {state: Unavailable, selector: {dataplaneLabels: {matchLabels: {kuma.io/workload: web}}}, ports: [
			{name: http, port: 80, targetPort: 80, appProtocol: http}, {name: '81', port: 81, targetPort: 81, appProtocol: tcp}, {name: '82', port: 82, targetPort: 82, appProtocol: grpc}]}}`)
	if diff := gocmp.Diff(want.Document(), got[0].Document()); diff != "" {
		t.Errorf("MeshService (-want +got):\n%s", diff)
	}
}

// TestGeneratedServicesWithoutTags compares generated MeshServices with those of a control plane 2.14.3 with
// experimental.inboundTagsDisabled, which reads no tags for them.
func TestGeneratedServicesWithoutTags(t *testing.T) {
	t.Parallel()
	cp := zone
	cp.InboundTagsDisabled = true
	dataplanes := testworld.Resources(t, `
{type: Dataplane, mesh: shop, name: a, labels: {kuma.io/workload: wa}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: sa, kuma.io/protocol: http}}, {port: 81, protocol: http, tags: {kuma.io/service: sb}}]}}
---
{type: Dataplane, mesh: shop, name: b, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: sc}}]}}
`)
	var got []any
	for _, r := range kinds.GeneratedServices(testworld.Resource(t, "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}"), dataplanes, cp) {
		got = append(got, r.Name, r.Spec()["selector"], r.Spec()["ports"])
	}
	want := testworld.JSON(t, `["wa", {"dataplaneLabels": {"matchLabels": {"kuma.io/workload": "wa"}}}, [
		{"name": "80", "port": 80, "targetPort": 80, "appProtocol": "tcp"}, {"name": "81", "port": 81, "targetPort": 81, "appProtocol": "http"}]]`)
	if diff := gocmp.Diff(want, any(got)); diff != "" {
		t.Errorf("MeshServices (-want +got):\n%s", diff)
	}
}

// TestNoGeneratedServices checks which control planes generate no MeshServices, and that
// Dataplanes of other zones and meshes do not count.
func TestNoGeneratedServices(t *testing.T) {
	t.Parallel()
	mesh := testworld.Resources(t, "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}")[0]
	dataplane := func(mesh, zone string) kuma.Resource {
		return testworld.Resources(t, "{type: Dataplane, mesh: "+mesh+", name: a, labels: {kuma.io/zone: "+zone+"}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}")[0]
	}
	embedded, kubernetes := zone, zone
	embedded.Embedded = true
	kubernetes.Kubernetes = true
	for name, test := range map[string]struct {
		cp        kuma.ControlPlane
		dataplane kuma.Resource
		want      int
	}{
		"zone":       {zone, dataplane("shop", zone.Zone), 1},
		"other zone": {zone, dataplane("shop", "other"), 0},
		"other mesh": {zone, dataplane("zoo", zone.Zone), 0},
		"embedded":   {embedded, dataplane("shop", zone.Zone), 0},
		"kubernetes": {kubernetes, dataplane("shop", zone.Zone), 0},
		"global":     {kuma.ControlPlane{Mode: kuma.ModeGlobal}, dataplane("shop", zone.Zone), 0},
	} {
		if got := kinds.GeneratedServices(mesh, []kuma.Resource{test.dataplane}, test.cp); len(got) != test.want {
			t.Errorf("%s: %d MeshServices, want %d", name, len(got), test.want)
		}
	}
}
