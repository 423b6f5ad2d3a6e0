package e2e_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestUpgradeOfMesh takes over a mesh of more than 100 documents in the form of 2.14 with the
// configuration that kuma_resources rewrites for 3.0: no proxy gets other settings from the
// apply, and the second plan is empty.
func TestUpgradeOfMesh(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Since("2.14"), providertest.BeforeKuma3, providertest.Writes(kinds.Dataplane))
	const mesh = "oldstyle"
	before, decisions := stageOne(t, cp, mesh, testworld.OldStyle(t, mesh), "partner_ca_data = \"partner\"\npartner_key_data = \"secret\"\n",
		`"cart-outbound"`, "# Kuma 3.0: spec.targetRef: K3-001. The tags select only some inbounds")
	after := proxySettings(t, cp, mesh)
	for dataplane, settings := range before {
		if diff := cmp.Diff(testworld.WithoutExplicit(settings, settings), testworld.WithoutExplicit(after[dataplane], settings)); diff != "" {
			t.Errorf("settings of %s (-before +after):\n%s", dataplane, diff)
		}
	}
	again := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + decisionsIn(mesh)})
	again.Must(t, "apply", "-auto-approve")
	left, _ := again.Outputs(t)["manual"].([]any)
	for _, d := range left {
		if !slices.Contains(decisions, d) {
			t.Errorf("only the stored documents of stage one ask for a decision: %v", d)
		}
	}
}

// TestUpgradeOfOlderKinds applies stage one for a mesh with a resource of each kind that Kuma 3.0
// removed and that the provider does not describe. Policies replace some of them, so that proxies
// have other rules; TestStages compares what proxies are sent.
func TestUpgradeOfOlderKinds(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Since("2.14"), providertest.BeforeKuma3, providertest.Writes(kinds.Dataplane))
	if cp.Dir != "" {
		t.Skip("an embedded control plane does not have these kinds")
	}
	stageOne(t, cp, "older", testworld.OlderKinds("older"), "", `type = "TrafficLog"`)
}

// stageOne stores documents, applies stage one, and returns the settings of the proxies before, and
// what must be decided. wants are parts of the configuration.
func stageOne(t *testing.T, cp providertest.ControlPlane, mesh, documents, variables string, wants ...string) (
	before map[string]any, decisions []any,
) {
	t.Helper()
	store(t, cp, testworld.Resources(t, documents)...)
	before = proxySettings(t, cp, mesh)
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + `` + stagesOf(mesh) + decisionsIn(mesh)})
	c.Must(t, "apply", "-auto-approve")
	decisions, _ = c.Outputs(t)["manual"].([]any)
	text, report := c.Output(t, "configuration"), c.Output(t, "report")
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("the configuration does not contain %s:\n%s", want, text)
		}
	}
	two := c.Output(t, "stage_two")
	for line := range strings.SplitSeq(two, "\n") {
		fields := strings.Split(line, `"`)
		added := len(fields) > 3 && strings.Contains(report, " of "+fields[3]+":")
		if strings.HasPrefix(line, "resource ") && !strings.Contains(text, line) && !added {
			t.Errorf("only stage two contains %s, and the report does not name it", line)
		}
	}
	for _, part := range []string{"import {", "dataplane_tags", "token_signing_key"} {
		if strings.Contains(two, part) {
			t.Errorf("stage two contains %s", part)
		}
	}
	if !strings.Contains(report, "Stage one, on Kuma 2.14: No proxy changes.") {
		t.Errorf("report:\n%s", report)
	}
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), providertest.RequiredProvider+cp.Config+text)
	providertest.Write(t, filepath.Join(c.Dir, "terraform.tfvars"), variables)
	out := c.Must(t, "apply", "-auto-approve")
	if strings.Count(out, "belongs to the control plane") > strings.Count(out, "The control plane created MeshService ") { // which it takes over
		t.Errorf("the apply warns of a default policy that stage one divides:\n%s", out)
	}
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan is not empty:\n%s", out)
	}
	return before, decisions
}

// decisionsIn is a configuration with an output: what a rewriting of the stored documents asks
// to decide.
func decisionsIn(mesh string) string {
	return `
data "kuma_resources" "stored" { mesh = "` + mesh + `" }
output "manual" {
  value = [
    for i in provider::kuma::upgrade_documents(data.kuma_resources.stored.resources[*].document, { zone = "zone-1" }).report :
    "${i.type} ${i.name} ${i.path}" if i.action == "manual"
  ]
}
`
}

// TestStageTwo applies the documents of stage two to Kuma 3.0, without those that the report says
// to decide about: the second plan is empty.
func TestStageTwo(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	var cp providertest.ControlPlane
	if providertest.RealEndpoint == "" {
		cp = providertest.NewEmbeddedRelease(t, rules.Newest())
	} else {
		cp = providertest.TakeReal(t, []providertest.Requirement{providertest.Since("3.0")})
	}
	for mesh, documents := range map[string]string{
		"oldstyle": testworld.OldStyle(t, "oldstyle"),
		"older":    strings.Replace(testworld.OlderKinds("older"), ", {port: 10002, tags: {kuma.io/service: httpbin}}", "", 1),
	} {
		var decided []string
		for _, r := range testworld.Resources(t, documents) {
			byTags := slices.Contains([]string{kinds.MeshTrafficPermission.Name, kinds.TrafficPermission, "FaultInjection"}, r.Type) // of clients without an identity
			if byTags || slices.Contains([]string{"edge", "edge-1", "legacy-admin"}, r.Name) {
				continue
			}
			text, err := tree.EncodeYAML(r.Document())
			testworld.NoError(t, err)
			decided = append(decided, string(text))
		}
		c := providertest.NewCLI(t, map[string]string{"mesh.yaml": strings.Join(decided, "---\n"), "main.tf": providertest.RequiredProvider + cp.Config + `
locals {
  upgrade = provider::kuma::upgrade_documents(file("mesh.yaml"), { zone = "zone-1", initial_policies = true })
  two     = { for d in [for text in local.upgrade.stage_two : yamldecode(text)] : "${d.type}/${d.name}" => d }
}
resource "kuma_manifest" "mesh" {
  manifest = local.two["Mesh/` + mesh + `"]
}
resource "kuma_manifest" "all" {
  for_each   = { for key, d in local.two : key => d if d.type != "Mesh" }
  manifest   = each.value
  depends_on = [kuma_manifest.mesh]
}
`})
		c.Must(t, "apply", "-auto-approve")
		if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
			t.Errorf("the second plan is not empty:\n%s", out)
		}
		c.Must(t, "destroy", "-auto-approve")
	}
}

// proxySettings returns what each proxy of a mesh gets: what a real control plane answers, or
// what the engine computes from the stored resources.
func proxySettings(t *testing.T, cp providertest.ControlPlane, mesh string) map[string]any {
	t.Helper()
	cp.AwaitGenerator(t) // the runs take longer than the second for which a control plane repeats an answer
	var stored []kuma.Resource
	for _, k := range kinds.All() {
		list, err := cp.Client.List(t.Context(), k, mesh)
		testworld.NoError(t, err)
		stored = append(stored, list...)
	}
	snapshot := rules.NewSnapshot(stored)
	settings := map[string]any{}
	for _, name := range snapshot.Dataplanes(mesh) {
		answer, err := snapshot.Dataplane(mesh, name)
		testworld.NoError(t, err)
		data, err := json.Marshal(answer)
		testworld.NoError(t, err)
		if cp.Dir == "" {
			_, data = request(t, http.DefaultClient, http.MethodGet, "/meshes/"+mesh+"/dataplanes/"+name+"/_rules", nil)
		}
		v, err := tree.DecodeJSON(data)
		testworld.NoError(t, err)
		const collector = `"backendRef":{"kind":"MeshOpenTelemetryBackend","name":"otel-otel-example-4317"},"endpoint":""`
		text := strings.ReplaceAll(phrase.JSON(testworld.Settings(v)), collector, `"endpoint":"otel.example:4317"`)
		settings[name] = testworld.JSON(t, text)
	}
	return settings
}
