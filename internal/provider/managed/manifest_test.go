package managed_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// manifest is a mesh and a MeshTimeout as YAML, with a name and a timeout.
const manifest = `
resource "kuma_manifest" "mesh" {
  manifest = yamldecode("{type: Mesh, name: manifests}")
}
resource "kuma_manifest" "test" {
  depends_on = [kuma_manifest.mesh]
  manifest = yamldecode(<<-YAML
    type: MeshTimeout
    name: %s
    mesh: manifests
    labels: {team: web}
    spec:
      to:
        - targetRef: {kind: Mesh}
          default: {http: {requestTimeout: %s}}
  YAML
  )
}
`

func TestManifest(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t)
	const address = "kuma_manifest.test"
	config := func(name, timeout string) string { return cp.Config + fmt.Sprintf(manifest, name, timeout) }
	action := func(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a), allKnown{}}}
	}
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	stored := func(name string) kuma.Resource {
		r, err := cp.Client.Get(context.Background(), kinds.MeshTimeout, "manifests", name)
		testworld.NoError(t, err)
		return r
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config("web", "60s"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("name"), knownvalue.StringExact("web")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("kri"), knownvalue.StringFunc(func(kri string) error {
						if want := kinds.MeshTimeout.KRI(stored("web")); kri != want {
							return fmt.Errorf("got %s, the control plane says %s", kri, want)
						}
						return nil
					})),
				},
			},
			{Config: config("web", "1m"), ConfigPlanChecks: empty},
			{Config: config("web", "2m"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
			{
				Config: config("web", "2m"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
				PreConfig: func() {
					r := stored("web")
					r.Labels["team"] = "batch"
					cp.Put(t, r)
				},
			},
			{
				Config: config("web", "2m"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				PreConfig: func() {
					testworld.NoError(t, cp.Client.Delete(context.Background(), kinds.MeshTimeout, "manifests", "web"))
				},
			},
			{
				ResourceName: address, ImportState: true, ImportStateId: "MeshTimeout/manifests/web",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
				ImportStateVerifyIgnore: []string{"manifest"}, // the spelling of the control plane
			},
			{Config: config("shop", "2m"), ConfigPlanChecks: action(plancheck.ResourceActionDestroyBeforeCreate)},
		},
	})
}

func TestManifestMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, "resource \"kuma_manifest\" \"test\" {\n  manifest = %s\n}\n", map[string]providertest.Mistake{
		"field in snake case that is stored":  {`{type = "Dataplane", name = "web", networking = {address = "192.0.2.1", inbound = [{port = 1, tags = {"kuma.io/service" = "web"}}], transparent_proxying = {redirectPortInbound = 1}}}`, `Unsupported field in Dataplane .* networking\.transparent_proxying: Dataplane does not have the field "transparent_proxying" here. A control plane would store it as "transparentProxying", so the next plan would not be empty\. Did you mean "transparentProxying"\?`},
		"field in snake case that is dropped": {`{type = "Dataplane", name = "web", networking = {address = "192.0.2.1", inbound = [{port = 1, service_port = 2, tags = {"kuma.io/service" = "web"}}]}}`, `Dataplane does not have the field "service_port" here. A control plane would drop it silently\. Did you mean "servicePort"\?`},
		"misspelled field":                    {`{type = "MeshTimeout", name = "web", spec = {to = [{targetReff = {kind = "Mesh"}, default = {idleTimeout = "1s"}}]}}`, `Unsupported field in MeshTimeout .* spec\.to\[0\]\.targetReff: .* Did you mean "targetRef"\?`},
		"misspelled kind":                     {`{type = "MeshTimeuot", name = "web"}`, `Unsupported kind MeshTimeuot .* Did you mean "MeshTimeout"\?`},
		"wrong type":                          {`{type = "MeshTimeout", name = "web", spec = {to = [{targetRef = {kind = "Mesh"}, default = {idleTimeout = 30}}]}}`, `Invalid idleTimeout .* spec\.to\[0\]\.default\.idleTimeout: .* must be a string with a duration`},
		"no object":                           {`"type: MeshTimeout"`, `Invalid manifest .* yamldecode`},
		"no name":                             {`{type = "MeshTimeout"}`, `Invalid document .* name is missing`},
		"Kubernetes style":                    {`{apiVersion = "kuma.io/v1alpha1", kind = "MeshTimeout", metadata = {name = "web"}, spec = {}}`, `Missing entries`},
	})
}

// TestManifestIsPlanned checks that a planned manifest replaces the stored
// resource in an analysis.
func TestManifestIsPlanned(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Writes(kinds.Dataplane))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		Steps: []resource.TestStep{{
			Config: cp.Config + cp.Adapted(fmt.Sprintf(manifest, "api", "60s")+`
resource "kuma_manifest" "dataplane" {
  depends_on = [kuma_manifest.mesh]
  manifest   = { type = "Dataplane", name = "web-1", mesh = "manifests", networking = { address = "10.0.0.5", inbound = [{ port = 80, tags = { "kuma.io/service" = "web" } }] } }
}
locals { planned = [kuma_manifest.mesh, kuma_manifest.test, kuma_manifest.dataplane] }
data "kuma_effective_rules" "web" {
  mesh      = "manifests"
  dataplane = "web-1"
  planned   = local.planned
}
output "timeout" { value = values(data.kuma_effective_rules.web.conf["MeshTimeout"])[0].http.requestTimeout }`),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectKnownOutputValue("timeout", knownvalue.StringExact("1m0s"))}},
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("timeout", knownvalue.StringExact("1m0s"))},
		}},
	})
}

// TestPartlyUnknownManifest checks that the key of a resource is used even if the plan
// does not know the whole document.
func TestPartlyUnknownManifest(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t)
	config := func(timeout string, names ...string) string {
		text := providertest.RequiredProvider + cp.Config + providertest.SharedMesh + fmt.Sprintf("resource \"terraform_data\" \"timeout\" {\n  input = %q\n}\n", timeout)
		for i, name := range names {
			text += fmt.Sprintf(`
resource "kuma_manifest" "test%d" {
  manifest = {
    type = "MeshTimeout"
    mesh = kuma_mesh.shop.name
    name = %q
    spec = { to = [{ targetRef = { kind = "Mesh" }, default = { connectionTimeout = terraform_data.timeout.output } }] }
  }
}
`, i, name)
		}
		return text
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": strings.Replace(config("1s", "a"), `"MeshTimeout"`, `"MeshTimout"`, 1)})
	if out := c.Must(t, "plan"); !strings.Contains(out, "kuma_manifest.test0 will be created") {
		t.Errorf("a kind that is not listed is not left to the apply:\n%s", out)
	}
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config("1s", "a", "a"))
	c.Refused(t, `Duplicate resource .* MeshTimeout "a" of mesh "shop"`, "plan")

	c.Apply(t, config("1s", "a"))
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config("2s", "b"))
	if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "must be replaced") {
		t.Errorf("the plan does not replace the resource:\n%s", out)
	}
	c.PlanIsEmpty(t)
	wantStored(t, cp.Client, "b")
	if _, ok := storedTimeout(t, cp.Client, "a"); ok {
		t.Error("the resource with the old name is still there")
	}
}

// TestManifestInANamespace checks documents in Kubernetes format: the namespace of a control plane
// is that of a resource without one, and the labels of another one are stored by Kuma 2.x only.
func TestManifestInANamespace(t *testing.T) {
	t.Parallel()
	document := func(kind, name, namespace string, spec map[string]any) map[string]any {
		return map[string]any{"manifest": map[string]any{
			"apiVersion": "kuma.io/v1alpha1", "kind": kind, "spec": spec,
			"metadata": map[string]any{"name": name, "namespace": namespace, "labels": map[string]any{"kuma.io/mesh": "shop"}},
		}}
	}
	idle := map[string]any{"to": []any{map[string]any{"targetRef": map[string]any{"kind": "Mesh"}, "default": map[string]any{"idleTimeout": "1m"}}}}
	for version, want := range map[string]string{"2.14": "", "3.0": "metadata.namespace: This control plane does not store the labels k8s.kuma.io/namespace, kuma.io/display-name and kuma.io/policy-role"} {
		config := map[string]any{"embedded": map[string]any{"directory": t.TempDir(), "kuma_version": version}}
		for _, d := range []map[string]any{
			document("Mesh", "shop", "kong-mesh-system", map[string]any{}), document("MeshTimeout", "web", "kuma-system", idle),
			document("HostnameGenerator", "all", "kuma-system", map[string]any{"selector": map[string]any{"meshService": map[string]any{}}, "template": "a.mesh"}),
		} {
			s := providertest.NewSession(t, "kuma_manifest", config)
			if diags := s.Apply(t, d, nil); providertest.HasErrors(diags) {
				t.Fatal(version, providertest.Messages(diags))
			}
			state, err := tfvalue.Attributes(s.State())
			metadata := d["manifest"].(map[string]any)["metadata"].(map[string]any)
			if err != nil || !state["name"].Equal(tftypes.NewValue(tftypes.String, metadata["name"])) {
				t.Errorf("Kuma %s: the name is %s (%v), want %s", version, state["name"], err, metadata["name"])
			}
		}
		said := providertest.Messages(providertest.NewSession(t, "kuma_manifest", config).Apply(t, document("MeshTimeout", "web", "shop", idle), nil))
		if strings.Contains(said, "labels[") || !strings.Contains(said, want) || (want == "") != (said == "") {
			t.Errorf("Kuma %s says of another namespace: %s, want %s", version, said, want)
		}
	}
}
