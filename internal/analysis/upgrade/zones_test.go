package upgrade_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// The control planes of testdata/global, whose documents are those that 2.14.3 returned when both zones had
// applied stage one.
var (
	global = upgrade.Options{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeGlobal, Release: kuma.Newest2()}}
	east   = upgrade.Options{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east", Federated: true, Release: kuma.Newest2()}}
)

// TestGlobalAndZone checks the reports of a global control plane and of one of its two zones.
func TestGlobalAndZone(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]upgrade.Options{"global": global, "zone-east": east} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "testdata/global/" + name
			documents := testworld.Resources(t, testworld.Text(t, file+".yaml"))
			result := rewrite(t, o, testworld.Text(t, file+".yaml"))
			testworld.Want(t, file+".txt", result.Overview(len(documents), upgrade.Checks{}).Text+"\n"+text(result))
			for _, r := range documents {
				k, _ := kinds.Find(r.Type)
				if !k.Synced(r, o.ControlPlane) {
					continue
				}
				for _, i := range result.Report {
					if i.Key == r.Key() && i.Action != upgrade.Elsewhere && i.Action != upgrade.Generated {
						t.Errorf("the report asks for work on a copy: %s", i)
					}
				}
			}
		})
	}
}

// TestNameOfServiceInZones checks that stage two refers to the services of all zones where a policy of the global
// control plane names them by the tag.
func TestNameOfServiceInZones(t *testing.T) {
	t.Parallel()
	result := rewrite(t, global, strings.Replace(testworld.Text(t, "testdata/global/global.yaml"), "mode: Exclusive", "mode: Everywhere", 1))
	i := slices.IndexFunc(result.StageTwo, func(r kuma.Resource) bool { return r.Name == "team-shop-outbound" })
	want := testworld.JSON(t, `[{"targetRef": {"kind": "MeshService", "labels": {"kuma.io/display-name": "api"}}, "default": {"http": {"requestTimeout": "5s"}}}]`)
	testworld.Equal(t, "to of stage two", want, result.StageTwo[i].Spec()["to"])
}

// TestNameThatIsNotInTheZone checks that the report does not call a service missing that only labels find.
func TestNameThatIsNotInTheZone(t *testing.T) {
	t.Parallel()
	report := rewrite(t, zone, proxies+`---
{type: MeshMultiZoneService, mesh: shop, name: all-web, spec: {selector: {meshService: {matchLabels: {kuma.io/display-name: web}}}, ports: [{port: 80}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshService, name: web}, rules: [{matches: [{}], default: {backendRefs: [{kind: MeshMultiZoneService, name: all-web, port: 80}]}}]}]}}`).Report.String()
	if want := `K3-041. No MeshMultiZoneService "all-web" is in the zone of the policy, in which a name is looked up.`; !strings.Contains(report, want) {
		t.Errorf("the report does not contain %s:\n%s", want, report)
	}
}

// TestServicesThatZonesGenerate checks that on a global control plane, stage two finds the proxies of the services that zones
// generate again, for the label kuma.io/workload.
func TestServicesThatZonesGenerate(t *testing.T) {
	t.Parallel()
	result := rewrite(t, global, testworld.Text(t, "testdata/global/global.yaml"))
	if got := result.Proof.String(); strings.Contains(got, "no ready proxy") {
		t.Error(got)
	}
}

// TestServiceOfWorkloadsInZone checks that the proof of a zone says which Dataplanes provide a service that Kuma 3.0 generates for a
// workload, where 2.14 generated it for a tag.
func TestServiceOfWorkloadsInZone(t *testing.T) {
	t.Parallel()
	const tagged = "tags: {kuma.io/service: api}"
	dataplane := func(name, workload, more string) string {
		return "---\n{type: Dataplane, mesh: shop, name: " + name + ", labels: {kuma.io/workload: " + workload + "}, networking: {address: 10.0.0.1, " +
			"inbound: [{port: 80, protocol: http, " + more + "}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}\n"
	}
	result := rewrite(t, east, "{type: Mesh, name: shop, labels: {kuma.io/origin: global}, meshServices: {mode: Exclusive}}\n"+
		dataplane("api-1", "api", tagged)+dataplane("api-2", "api", "name: http")+dataplane("web-1", "web", "name: http"))
	if proof := result.Proof.String(); !strings.Contains(proof, "provided by api-1 and api-2, before: api-1") {
		t.Errorf("got proof:\n%s", proof)
	}
}

// TestZonesComeFirst checks that a global control plane asks for stage one of the zones if only their Dataplanes lack labels.
func TestZonesComeFirst(t *testing.T) {
	t.Parallel()
	documents := testworld.Text(t, "testdata/global/global.yaml")
	result := rewrite(t, global, strings.Replace(documents, "kuma.io/zone: east, team: shop}, networking", "kuma.io/zone: east}, networking", 1))
	const want = "Dataplane web-1-ff7f86cdwxc952ff differs. Apply stage one in zone east first, then rewrite again."
	if got := result.Report.String(); !strings.Contains(got, want) {
		t.Errorf("the report does not contain %s:\n%s", want, got)
	}
}

// TestZoneProxyHasWorkload checks that the Dataplanes of zone proxies get a certificate of a MeshIdentity whose SPIFFE
// IDs contain the workload.
func TestZoneProxyHasWorkload(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, `{type: Mesh, name: m, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: MeshIdentity, mesh: m, name: all, spec: {selector: {dataplane: {}}, spiffeID: {path: '/workload/{{ label "kuma.io/workload" }}'}, provider: {type: Bundled, bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}}}}}
---
{type: ZoneEgress, name: egress, networking: {address: 10.0.0.2, port: 10002}}
`)
	if got := result.Proof.String(); strings.Contains(got, "can no longer be configured") {
		t.Error(got)
	}
}

// TestZoneProxyRunsAsDataplane checks that stage two adds nothing for zone proxies that already run as Dataplanes beside
// the old ones, as the guide says, whatever they are called.
func TestZoneProxyRunsAsDataplane(t *testing.T) {
	t.Parallel()
	const dataplanes = `
---
{type: Dataplane, mesh: m, name: in, labels: {kuma.io/workload: in}, networking: {address: 10.0.0.1, listeners: [{type: ZoneIngress, address: 10.0.0.1, port: 10011}]}}
---
{type: Dataplane, mesh: m, name: other, labels: {kuma.io/workload: other}, networking: {address: 10.0.0.2, listeners: [{type: ZoneEgress, address: 10.0.0.2, port: 10012}]}}
`
	const world = `{type: Mesh, name: m, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: ZoneIngress, name: in, networking: {address: 10.0.0.1, port: 10001}}
---
{type: ZoneEgress, name: out, networking: {address: 10.0.0.2, port: 10002}}` + dataplanes
	result := rewrite(t, zone, world)
	got := slices.DeleteFunc(slices.Clone(result.StageTwo), func(r kuma.Resource) bool {
		return r.Type != kuma.KindDataplane && r.Type != kinds.MeshZoneAddress.Name
	})
	if diff := cmp.Diff(yaml(t, testworld.Resources(t, dataplanes)), yaml(t, got)); diff != "" {
		t.Errorf("stage two (-want +got):\n%s\n%s", diff, result.Report)
	}
	if open := result.Report.Of(upgrade.Manual); len(open) > 0 {
		t.Errorf("open: %v", open)
	}
}

// TestDeletionsOfStageOne checks that the first page says what stage one deletes, which no configuration does.
func TestDeletionsOfStageOne(t *testing.T) {
	t.Parallel()
	documents := testworld.Resources(t, `{type: Mesh, name: m, meshServices: {mode: Exclusive}}`)
	stageOne, err := upgrade.Rewrite(documents, zone)
	testworld.NoError(t, err)
	result, err := upgrade.Rewrite(stageOne.StageOne, upgrade.Options{ControlPlane: zone.ControlPlane})
	testworld.NoError(t, err)
	if got := result.Report.String(); strings.Contains(got, "do not contain") {
		t.Errorf("what stage one deletes is missed:\n%s", got)
	}
	result, err = upgrade.Rewrite(documents, zone)
	testworld.NoError(t, err)
	want := `and delete MeshTimeout "mesh-gateways-timeout-all-m"`
	if got := result.Overview(len(documents), upgrade.Checks{}).Text; !strings.Contains(got, want) {
		t.Errorf("the first page does not contain %s:\n%s", want, got)
	}
}

// TestTrustDomainOfGlobal checks that the report finds a trust domain with the zone on a global control plane of 2.14.3,
// which stores no origin.
func TestTrustDomainOfGlobal(t *testing.T) {
	t.Parallel()
	result := rewrite(t, global, `{type: Mesh, name: m, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: MeshIdentity, mesh: m, name: all, spec: {selector: {dataplane: {}}, spiffeID: {trustDomain: '{{ .Mesh }}.{{ .Zone }}.local'}, provider: {type: Bundled, bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}}}}}`)
	if got := result.Report.String(); !strings.Contains(got, "K3-220") {
		t.Error(got)
	}
}

// TestServiceIsGeneratedOrReplaced checks that the report says one thing about a generated MeshService that stage one
// replaces.
func TestServiceIsGeneratedOrReplaced(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, `{type: Mesh, name: m, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: m, name: two, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: a}}, {port: 81, tags: {kuma.io/service: b}}]}}
---
{type: MeshService, mesh: m, name: a, labels: {kuma.io/managed-by: meshservice-generator}, spec: {selector: {dataplaneTags: {kuma.io/service: a}}, ports: [{port: 80}]}}`)
	var actions []upgrade.Action
	for _, i := range result.Report {
		if i.Key.Type == kuma.KindMeshService && i.Key.Name == "a" {
			actions = append(actions, i.Action)
		}
	}
	testworld.Equal(t, "actions", []upgrade.Action{upgrade.Added}, actions)
}

// TestOriginOfAddedDocuments checks that documents which a stage adds in a zone of a global control plane have the
// label that it requires.
func TestOriginOfAddedDocuments(t *testing.T) {
	t.Parallel()
	result := rewrite(t, east, testworld.Text(t, "testdata/global/zone-east.yaml"))
	i := slices.IndexFunc(result.StageTwo, func(r kuma.Resource) bool { return r.Type == kinds.MeshZoneAddress.Name })
	if origin := result.StageTwo[i].Labels[kuma.LabelOrigin]; origin != kuma.OriginZone {
		t.Errorf("origin %q", origin)
	}
}
