package e2e_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestStageTwoReplacesNothing takes meshes over with stage one, upgrades the control plane, and
// plans stage two: it neither replaces nor destroys a resource that the report does not name as
// removed, and the plan after it is empty.
func TestStageTwoReplacesNothing(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	if providertest.RealEndpoint != "" {
		t.Skip("a control plane cannot be upgraded here")
	}
	for mesh, documents := range map[string]string{
		"shop":     testworld.Text(t, filepath.Join(providertest.Examples, "guides", "upgrade-to-kuma-3", "mesh.yaml")),
		"shop-2":   strings.ReplaceAll(testworld.Text(t, testworld.Path("internal", "analysis", "upgrade", "testdata", "shop.yaml")), "shop", "shop-2"),
		"oldstyle": testworld.OldStyle(t, "oldstyle"),
	} {
		t.Run(mesh, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewControlPlane(t, providertest.Since("2.14"), providertest.BeforeKuma3, providertest.Writes(kinds.Dataplane))
			store(t, cp, decided(t, documents)...)
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + stagesOf(mesh)})
			c.Must(t, "apply", "-auto-approve")
			one, two := c.Output(t, "configuration"), c.Output(t, "stage_two")
			removed, _ := c.Outputs(t)["removed"].([]any)
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), providertest.RequiredProvider+cp.Config+one)
			providertest.Write(t, filepath.Join(c.Dir, "terraform.tfvars"), "partner_ca_data = \"partner\"\npartner_key_data = \"secret\"\n")
			c.Must(t, "apply", "-auto-approve")
			providertest.Write(t, filepath.Join(cp.Dir, ".kuma-version"), "3.0\n")
			provider := strings.Replace(cp.Config, `"2.14"`, `"3.0"`, 1)
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), providertest.RequiredProvider+provider+two)
			c.Must(t, "plan", "-out=two")
			var plan struct {
				Changes []struct {
					Type   string `json:"type"`
					Change struct {
						Actions []string       `json:"actions"`
						Before  map[string]any `json:"before"`
						Paths   any            `json:"replace_paths"`
					} `json:"change"`
				} `json:"resource_changes"`
			}
			testworld.NoError(t, json.Unmarshal(c.Show(t, "two"), &plan))
			for _, r := range plan.Changes {
				if slices.Contains(r.Change.Actions, "delete") && !slices.Contains(removed, r.Change.Before["name"]) {
					t.Errorf("stage two plans %v of %s %v because of %v, which the report does not name", r.Change.Actions, r.Type, r.Change.Before["name"], r.Change.Paths)
				}
			}
			c.Must(t, "apply", "two")
			c.PlanIsEmpty(t)
			c.Must(t, "destroy", "-auto-approve")
		})
	}
}

// stagesOf is a configuration with outputs: both stages of a mesh, and what the second removes.
func stagesOf(mesh string) string {
	return `
data "kuma_resources" "mesh" {
  mesh         = "` + mesh + `"
  include      = ["configuration"]
  kuma_version = "3.0"
}
output "configuration" { value = data.kuma_resources.mesh.configuration }
output "report" { value = data.kuma_resources.mesh.upgrade_report }
output "stage_two" { value = data.kuma_resources.mesh.stage_two }
output "removed" {
  value = [
    for i in provider::kuma::upgrade_documents(data.kuma_resources.mesh.resources[*].document, { zone = "zone-1" }).report :
    i.name if i.action == "removed" && i.path == ""
  ]
}
`
}

// decided returns documents with the MeshServices that a control plane generates, and without the
// documents that cannot be rewritten: they need a decision before the upgrade.
func decided(t *testing.T, documents string) []kuma.Resource {
	t.Helper()
	all := testworld.Resources(t, documents)
	cp := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1", Release: kuma.Newest2()}
	for _, service := range kinds.GeneratedServices(all[0], ofKind(all, kuma.KindDataplane), cp) {
		service.Labels = map[string]string{kuma.LabelDisplayName: service.Name}
		all = append(all, service)
	}
	result, err := upgrade.Rewrite(all, upgrade.Options{ControlPlane: cp})
	testworld.NoError(t, err)
	return slices.DeleteFunc(all, func(r kuma.Resource) bool {
		gateway := tree.Root(r.Body).Get("networking", "gateway").Known()
		return r.Type != kuma.KindMesh && (r.Type != kuma.KindDataplane || gateway) && slices.ContainsFunc(result.Report, func(i upgrade.Item) bool { return i.Key == r.Key() && i.Action == upgrade.Manual })
	})
}

func ofKind(resources []kuma.Resource, kind string) []kuma.Resource {
	return slices.DeleteFunc(slices.Clone(resources), func(r kuma.Resource) bool { return r.Type != kind })
}

// store writes resources to a control plane.
func store(t *testing.T, cp providertest.ControlPlane, resources ...kuma.Resource) {
	t.Helper()
	dataplanes := ofKind(resources, kuma.KindDataplane)
	// A control plane generates services for Dataplanes, also those of the documents if it does not have them yet.
	resources = append(slices.DeleteFunc(slices.Clone(resources), func(r kuma.Resource) bool { return r.Type == kuma.KindDataplane }), dataplanes...)
	for _, r := range resources {
		k, ok := kinds.Find(r.Type)
		if !ok {
			k = kinds.Older()[slices.IndexFunc(kinds.Older(), func(k def.Kind) bool { return k.Name == r.Type })]
		}
		if _, _, err := cp.Client.Put(t.Context(), k, r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestVariablesOfStageTwo checks that a variable for a key is required where Kuma 3.0 has another field for it, and
// cannot keep the stored value.
func TestVariablesOfStageTwo(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Since("2.14"), providertest.BeforeKuma3)
	const name = "mesh_external_service_partner_tls_verification_client_key"
	store(t, cp, testworld.Resources(t, `{type: Mesh, name: keys, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: MeshExternalService, mesh: keys, name: partner, spec: {match: {port: 443}, endpoints: [{address: partner.example, port: 443}], tls: {enabled: true, verification: {clientCert: {inline: Y2VydA==}, clientKey: {inline: a2V5}}}}}`)...)
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + stagesOf("keys")})
	c.Must(t, "apply", "-auto-approve")
	for output, want := range map[string]bool{"configuration": true, "stage_two": false} {
		_, variable, ok := strings.Cut(c.Output(t, output), `variable "`+name+`" {`)
		if optional := strings.Contains(variable, "= null"); !ok || optional != want || strings.Contains(variable, "is kept") != want {
			t.Errorf("%s: variable %s", output, variable)
		}
	}
}
