package upgrade_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade/upgradetest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// zone is the control plane of most tests.
var zone = upgrade.Options{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east"}, InitialPolicies: true}

// rewrite rewrites the documents of a file, and fails if that changes something on 2.14.
func rewrite(t *testing.T, o upgrade.Options, texts ...string) upgrade.Result {
	t.Helper()
	result, err := upgrade.Rewrite(testworld.Resources(t, texts...), o)
	testworld.NoError(t, err)
	if !result.Proof.StageOne.None() {
		t.Errorf("stage one changes proxies on 2.14:\n%s", result.Proof)
	}
	return result
}

// TestShop checks both stages, the report and the proof of a small mesh.
func TestShop(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, testworld.Text(t, "testdata/shop.yaml"))
	testworld.Want(t, "testdata/shop-stage-one.yaml", yaml(t, result.StageOne))
	testworld.Want(t, "testdata/shop-stage-two.yaml", yaml(t, result.StageTwo))
	testworld.Want(t, "testdata/shop-report.txt", text(result))
}

// TestTooManySubsets checks that nothing is rewritten if the rules of a stage cannot be compared.
func TestTooManySubsets(t *testing.T) {
	t.Parallel()
	entries := make([]string, 100)
	for i := range entries {
		entries[i] = fmt.Sprintf("{targetRef: {kind: MeshSubset, tags: {k%d: v}}, default: {action: Allow}}", i)
	}
	for name, top := range map[string]string{"only stage two changes it": "{kind: Mesh}", "stage one changes it": "{kind: Mesh, proxyTypes: [Sidecar]}"} {
		policy := fmt.Sprintf("{type: MeshTrafficPermission, mesh: shop, name: many, spec: {targetRef: %s, from: [%s]}}", top, strings.Join(entries, ", "))
		documents := testworld.Resources(t, testworld.Text(t, "testdata/shop.yaml"), policy)
		if _, err := upgrade.Rewrite(documents, zone); !errors.Is(err, rules.ErrTooManySubsets) {
			t.Errorf("%s: got error %v, want %v", name, err, rules.ErrTooManySubsets)
		}
	}
}

func TestInvariants(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/shop.yaml", "../lint/testdata/kuma3-old-style.yaml", "../lint/testdata/kuma3-breaks.yaml", "../lint/testdata/kuma3-kitchen-sink.yaml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			upgradetest.CheckInvariants(t, testworld.Resources(t, testworld.Text(t, file)), upgrade.Options{ControlPlane: zone.ControlPlane})
		})
	}
}

// TestWorlds checks the report and the proof of small meshes, of each of which a control plane of 2.14
// sends the same configuration before and after stage one (TestStages), except for
// the listeners that reachable-services.yaml gets.
func TestWorlds(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/worlds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			result := upgradetest.CheckInvariants(t, testworld.Resources(t, testworld.Text(t, file)), upgrade.Options{ControlPlane: zone.ControlPlane})
			testworld.Want(t, strings.Replace(file, ".yaml", ".txt", 1), text(result))
		})
	}
}

// TestCatchAllOfAnotherRoute checks that a rule for the rest counts which takes requests from a route
// that has settings of its own.
func TestCatchAllOfAnotherRoute(t *testing.T) {
	t.Parallel()
	before := rewrite(t, zone, testworld.Text(t, "testdata/worlds/catch-all-takes.yaml")).StageOne
	after := slices.Clone(before)
	i := slices.IndexFunc(after, func(r kuma.Resource) bool { return r.Name == "cart-mirror" })
	after[i] = after[i].Clone()
	entry := tree.Object(tree.At(after[i].Body, tree.Path{"spec", "to", 0}))
	entry["rules"] = append(tree.List(entry["rules"]), testworld.JSON(t, `{"matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "default": {}}`))
	options := zone
	options.ControlPlane.Release = kuma.Newest2()
	changes, err := upgrade.Compare(before, after, options)
	testworld.NoError(t, err)
	var lost []string
	for _, r := range changes.Requests {
		lost = append(lost, r.String())
	}
	if got := strings.Join(lost, "\n"); !strings.Contains(got, "2 retries on 5xx") || !strings.Contains(got, "no retries") {
		t.Errorf("the changes do not contain the retries:\n%s", got)
	}
}

// TestCopiesOfOtherControlPlanes checks that what another control plane owns counts for the rewriting, but is not
// rewritten: the Dataplanes of a zone on the global control plane, and the policies of that one in the zone.
func TestCopiesOfOtherControlPlanes(t *testing.T) {
	t.Parallel()
	const mesh = `
{type: Mesh, name: mz, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: mz, name: web, labels: {kuma.io/origin: zone, kuma.io/zone: east}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, team: a}}]}}
---
{type: MeshTrace, mesh: mz, name: t, labels: {kuma.io/origin: global}, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}, default: {backends: []}}}
`
	for name, test := range map[string]struct {
		cp         kuma.ControlPlane
		kept, text string
	}{
		"global": {kuma.ControlPlane{Mode: kuma.ModeGlobal}, "web", "Belongs to zone east: rewrite it there."},
		"zone":   {kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east", Federated: true}, "t", "Belongs to the global control plane: rewrite it there."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := testworld.Resources(t, mesh)
			result, err := upgrade.Rewrite(documents, upgrade.Options{ControlPlane: test.cp})
			testworld.NoError(t, err)
			i := slices.IndexFunc(documents, func(r kuma.Resource) bool { return r.Name == test.kept })
			for _, stage := range [][]kuma.Resource{result.StageOne, result.StageTwo} {
				if differences := tree.Diff(any(documents[i].Document()), any(stage[i].Document())); differences != nil {
					t.Errorf("the copy is rewritten: %v", differences)
				}
			}
			var items []string
			for _, item := range result.Report {
				if item.Key == documents[i].Key() {
					items = append(items, item.Text)
				}
			}
			testworld.Equal(t, "report about the copy", []string{test.text}, items)
		})
	}
}

// TestProposalsThatChangeProxies checks that those among others that change proxies wait, each with what
// it changes.
func TestProposalsThatChangeProxies(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: shop, name: web-1, labels: {own: a}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, team: a}}]}}
---
{type: Dataplane, mesh: shop, name: db-1, labels: {own: b}, networking: {address: 10.0.0.2, inbound: [{port: 90, tags: {kuma.io/service: db, team: b}}]}}
---
{type: MeshTimeout, mesh: shop, name: a, spec: {targetRef: {kind: Dataplane, labels: {own: a}}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 3s}}]}}
---
{type: MeshTimeout, mesh: shop, name: b, spec: {targetRef: {kind: Dataplane, labels: {own: b}}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 4s}}]}}
---
{type: MeshTimeout, mesh: shop, name: y, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s}}]}}
---
{type: MeshTimeout, mesh: shop, name: z, spec: {targetRef: {kind: MeshSubset, tags: {team: b}}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 2s}}]}}
---
{type: MeshRetry, mesh: shop, name: r, spec: {targetRef: {kind: MeshSubset, tags: {team: b}}, to: [{targetRef: {kind: Mesh}, default: {tcp: {maxConnectAttempt: 4}}}]}}`)
	var got []string
	for _, i := range result.Report {
		if i.Path == "spec.targetRef" {
			got = append(got, fmt.Sprintf("%s in stage %d: %s: %s", i.Key.Name, i.Stage, i.Action, i.Text))
		}
	}
	const changes = "On 2.14 this changes proxies, so only stage two contains it: MeshTimeout, to Mesh \"shop\": `connectionTimeout`: "
	want := []string{
		"y in stage 2: deferred: " + changes + "`1s` → `3s`, set by a to[0], previously set by y to[0] (web-1).",
		"z in stage 2: deferred: " + changes + "`2s` → `4s`, set by b to[0], previously set by z to[0] (db-1).",
		"r in stage 1: rewritten: Selects Dataplanes by the labels team=b, which the same proxies have.",
		"y in stage 2: rewritten: Selects Dataplanes by the labels team=a, which the same proxies have.",
		"z in stage 2: rewritten: Selects Dataplanes by the labels team=b, which the same proxies have.",
	}
	testworld.Equal(t, "references", want, got)
}

// TestDeferredNamesRulesOfRoutes checks that a text about a rule of a route names it, and not the tag that stands for it.
func TestDeferredNamesRulesOfRoutes(t *testing.T) {
	t.Parallel()
	report := rewrite(t, zone, `
{type: Mesh, name: shop, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, kuma.io/protocol: http}}], outbound: [{port: 10001, tags: {kuma.io/service: web}}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: old, spec: {targetRef: {kind: Mesh}, to: [{targetRef: {kind: MeshService, name: web}, rules: [{matches: [{path: {type: PathPrefix, value: /old}}], default: {}}]}]}}
---
{type: MeshTimeout, mesh: shop, name: t, spec: {targetRef: {kind: MeshHTTPRoute, name: old}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 2s}}}]}}`).Report.String()
	if !strings.Contains(report, `rule 2 of MeshHTTPRoute "old"`) || strings.Contains(report, "__rule") {
		t.Errorf("the report does not name the rule:\n%s", report)
	}
}

// TestNothingToCompare checks that the proof does not say that no proxy changes if there is none.
func TestNothingToCompare(t *testing.T) {
	t.Parallel()
	if got := rewrite(t, zone, "{type: Mesh, name: empty}").Proof.String(); strings.Contains(got, "No proxy changes") || !strings.Contains(got, "Nothing was compared") {
		t.Errorf("the proof:\n%s", got)
	}
}

// yaml encodes documents.
func yaml(t *testing.T, resources []kuma.Resource) string {
	t.Helper()
	var all []string
	for _, r := range resources {
		data, err := tree.EncodeYAML(r.Document())
		testworld.NoError(t, err)
		all = append(all, string(data))
	}
	return strings.Join(all, "---\n")
}

// TestFirstPageSaysOfWhatItIsTrue checks that the first page names the document that a line is about if it differs among several.
func TestFirstPageSaysOfWhatItIsTrue(t *testing.T) {
	t.Parallel()
	page := rewrite(t, zone, `{type: Mesh, name: shop}
---
{type: Dataplane, mesh: shop, name: a, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: a}}], outbound: [{port: 1, tags: {kuma.io/service: gone}}]}}
---
{type: Dataplane, mesh: shop, name: b, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: b}}], outbound: [{port: 1, tags: {kuma.io/service: a, v: x}}]}}`).Overview(3, upgrade.Checks{}).Text
	if want := `K3-094 Dataplane "a" and Dataplane "b": For Dataplane "a": The mesh has no MeshService with the name gone.`; !strings.Contains(page, want) {
		t.Errorf("the first page does not contain %s:\n%s", want, page)
	}
}

func text(r upgrade.Result) string { return r.Report.String() + "\n" + r.Proof.String() }

// TestAccessIsCompared checks that a change counts which no setting shows: with a MeshIdentity,
// proxies ignore permissions in `from`, and refuse all clients.
func TestAccessIsCompared(t *testing.T) {
	t.Parallel()
	before := testworld.Resources(t, proxies, `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, skipCreatingInitialPolicies: ["*"]}
---
{type: MeshService, mesh: shop, name: db, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: 90, targetPort: 90}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: all, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}
`)
	options := zone
	options.ControlPlane.Release = kuma.Newest2()
	changes, err := upgrade.Compare(before, append(before, testworld.Resources(t, strings.TrimSuffix(identity, "---\n"))...), options)
	testworld.NoError(t, err)
	var lost []string
	for _, c := range changes.Access {
		if c.Gained() {
			t.Errorf("%v can call %s, although proxies ignore the permission", c.Clients, c.Port.Resource.Name)
		}
		lost = append(lost, fmt.Sprintf("%s at %s %d", strings.Join(c.Clients, ","), c.Port.Resource.Name, c.Port.Number))
	}
	testworld.Equal(t, "lost access", []string{"web at db 90", "db at web 80", "db at web 81"}, lost)
}

// TestRequestsOfProxiesCount checks that a proxy counts as changed if nothing but what happens to
// its requests differs: 2.14 omits a destination that does not exist, and 3.0 answers 500.
func TestRequestsOfProxiesCount(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, proxies, `
{type: MeshService, mesh: shop, name: db, labels: {kuma.io/display-name: db}, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: 90, targetPort: 90, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: x}, networking: {address: 10.0.0.3, inbound: [{port: 80}], transparentProxying: {reachableBackends: {refs: [{kind: MeshService, labels: {kuma.io/display-name: db}}]}}}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, labels: {kuma.io/display-name: r}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: db}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {kuma.io/display-name: gone}, port: 1}]}}]}]}}
`)
	changes := result.Proof.StageTwo
	if len(changes.Settings) > 0 || len(changes.Requests) == 0 {
		t.Fatalf("the test does not change requests only:\n%s", result.Proof)
	}
	if diff := cmp.Diff([]string{"x"}, result.Proof.Dataplanes()); diff != "" {
		t.Errorf("changed proxies (-want +got):\n%s\n%s", diff, result.Proof)
	}
}

// TestRequestsOfEachClient checks that the proof does not say about all clients with the same outbounds what it does about one: a
// permission allows one of them.
func TestRequestsOfEachClient(t *testing.T) {
	t.Parallel()
	proof := rewrite(t, zone, `{type: Mesh, name: shop, skipCreatingInitialPolicies: ["*"], mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
---
{type: Dataplane, mesh: shop, name: api-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: api}}], outbound: [{port: 10001, tags: {kuma.io/service: db}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 10001, tags: {kuma.io/service: db}}]}}
---
{type: Dataplane, mesh: shop, name: db-1, networking: {address: 10.0.0.3, inbound: [{port: 90, tags: {kuma.io/service: db}}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: db, spec: {targetRef: {kind: MeshService, name: db}, from: [{targetRef: {kind: MeshService, name: web}, default: {action: Allow}}]}}`).Proof.String()
	if want := "connections on db port 10001: db (denied) → db, for api-1\n"; !strings.Contains(proof, want) {
		t.Errorf("the proof does not contain %s:\n%s", want, proof)
	}
}

// TestProofNamesWhatItLeavesOut checks that the proof does not claim to have compared all requests
// if there are too many.
func TestProofNamesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	var matches []string
	for i := range 210 {
		matches = append(matches, fmt.Sprintf("{matches: [{path: {type: PathPrefix, value: /p%d}}], default: {backendRefs: [{kind: MeshService, name: db, port: 90}]}}", i))
	}
	result := rewrite(t, zone, strings.ReplaceAll(proxies, "transparentProxying: {reachableBackends: {}}", "transparentProxying: {reachableBackends: {refs: [{kind: MeshService, name: db}]}}"), `
{type: MeshService, mesh: shop, name: db, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: 90, targetPort: 90, appProtocol: http}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, name: db}, rules: [`+strings.Join(matches, ", ")+`]}]}}
`)
	if text := result.Proof.String(); !strings.HasPrefix(text, "Stage one, on Kuma 2.14: No proxy changes. Of the requests that the changed routes concern, 12 were not compared") {
		t.Errorf("the proof:\n%s", text)
	}
}

// TestProofNamesSubsets checks that the proof names the subset of a service to which Kuma 3.0 sends nothing.
func TestProofNamesSubsets(t *testing.T) {
	t.Parallel()
	proof := rewrite(t, zone, proxies, `
{type: MeshService, mesh: shop, name: db, labels: {kuma.io/display-name: db}, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: 90, targetPort: 90, appProtocol: http}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: db}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshServiceSubset, name: db, tags: {version: v2}}]}}]}]}}
`).Proof.String()
	if want := "destinations: unset → `db with version=v2, unknown to Kuma 3.0`"; !strings.Contains(proof, want) {
		t.Errorf("the proof does not contain %s:\n%s", want, proof)
	}
}

// TestDocumentsOfAControlPlane checks that what a control plane adds to documents is nothing to
// decide about: when stage one has been applied, stage two is computed from what it stores.
func TestDocumentsOfAControlPlane(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, proxies, `
{type: Workload, mesh: shop, name: web, labels: {kuma.io/env: universal, kuma.io/managed-by: workload-generator, kuma.io/mesh: shop, kuma.io/zone: east}, spec: {}}
---
{type: MeshService, mesh: shop, name: own, labels: {kuma.io/display-name: own, kuma.io/env: universal, kuma.io/mesh: shop, kuma.io/origin: zone, kuma.io/zone: east}, spec: {selector: {dataplaneLabels: {matchLabels: {a: b}}}, ports: [{port: 80}], identities: [{type: ServiceTag, value: own}, {type: SpiffeID, value: "spiffe://td/own"}]}}
---
{type: MeshMetric, mesh: shop, name: m, labels: {kuma.io/env: universal, kuma.io/mesh: shop, kuma.io/origin: zone, kuma.io/zone: east}, spec: {default: {backends: [{type: OpenTelemetry, openTelemetry: {endpoint: "", backendRef: {kind: MeshOpenTelemetryBackend, labels: {kuma.io/display-name: o}}}}]}}}
---
{type: MeshService, mesh: shop, name: db, labels: {kuma.io/display-name: db, kuma.io/env: universal, kuma.io/managed-by: meshservice-generator, kuma.io/mesh: shop, kuma.io/origin: zone, kuma.io/zone: east}, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: 90, targetPort: 90}]}}
---
{type: Secret, mesh: shop, name: hidden}
---
{type: Secret, mesh: shop, name: known, data: a2V5}
---
{type: MeshGateway, mesh: shop, name: edge, labels: {kuma.io/env: universal, kuma.io/mesh: shop, kuma.io/origin: zone, kuma.io/zone: east}, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 8080, protocol: HTTP}]}}
`)
	var manual []string
	for _, i := range result.Report.Of(upgrade.Manual) {
		manual = append(manual, i.Key.Type+" "+i.Condition)
	}
	if diff := cmp.Diff([]string{"MeshGateway K3-100", "Dataplane K3-091"}, manual); diff != "" {
		t.Errorf("what is to be decided (-want +got):\n%s\n%s", diff, result.Report)
	}
	for _, text := range []string{"type: Workload", "ServiceTag", "endpoint:", "tags:"} {
		if strings.Contains(yaml(t, result.StageTwo), text) {
			t.Errorf("stage two contains %s", text)
		}
	}
	for _, text := range []string{"spiffe://td/own", "name: hidden", "data: a2V5"} {
		if !strings.Contains(yaml(t, result.StageTwo), text) {
			t.Errorf("stage two does not contain %s", text)
		}
	}
	if kept := result.Report.Of(upgrade.Kept).String(); !strings.Contains(kept, "- Secret of hidden: The document does not contain the data") {
		t.Errorf("the report does not name the secret:\n%s", kept)
	}
}

// TestRoleFromNamespace checks the advice about a policy whose role follows from its namespace: it has no
// label that could be removed.
func TestRoleFromNamespace(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]string{
		"apiVersion: kuma.io/v1alpha1, kind: MeshTimeout, metadata: {name: a, namespace: shop}": "Remove the namespace, from which the role follows.",
		"type: MeshTimeout, name: a, labels: {kuma.io/policy-role: consumer}":                   "Remove the label, which",
	} {
		result, err := upgrade.Rewrite(testworld.Resources(t, "{type: Mesh, name: default}\n---\n{"+metadata+", spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}"), zone)
		if report := result.Report.String(); err != nil || strings.Count(report, "K3-213") != 1 || !strings.Contains(report, want) {
			t.Errorf("%q is missing, or not the only one about the label, %v:\n%s", want, err, report)
		}
	}
}

// TestNamesFromKubernetes checks that the label with the name of an object of Kubernetes, which its
// document does not contain, is not to be changed.
func TestNamesFromKubernetes(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, `
{type: Mesh, name: default, meshServices: {mode: Exclusive}}
---
{apiVersion: kuma.io/v1alpha1, kind: MeshService, metadata: {name: web, namespace: shop}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}`)
	if report := result.Report.String(); strings.Contains(report, "K3-023") || strings.Contains(report, "display-name") {
		t.Errorf("the report is about the display name:\n%s", report)
	}
}
