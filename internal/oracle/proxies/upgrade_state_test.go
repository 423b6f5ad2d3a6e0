package proxies_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// takeover reads the stages of a mesh, and what the second one removes.
const takeover = `
data "kuma_resources" "mesh" {
  mesh         = %q
  include      = ["configuration"]
  kuma_version = "3.0"
}
output "one" { value = data.kuma_resources.mesh.configuration }
output "two" { value = data.kuma_resources.mesh.stage_two }
output "report" { value = data.kuma_resources.mesh.upgrade_report }
`

// TestStateOfStages carries the Terraform state of old meshes from Kuma 2.14 to 3.0: no stage replaces a resource or
// destroys one that the report does not name, and the plan after each is empty.
func TestStateOfStages(t *testing.T) {
	terraform := needTerraform(t)
	s := startStages(t)
	if s.recent == nil {
		t.Skip("KUMA3_CP does not name a kuma-cp") // the state goes from one control plane to another
	}
	run, dir := newTerraformIn(t, terraform, "")
	for mesh, documents := range oldMeshes(t) {
		t.Run(mesh, func(t *testing.T) {
			t.Parallel()
			w := stateOfStages{stages: s, mesh: mesh, dir: filepath.Join(dir, mesh), run: run}
			const outbound = ", {port: 10002, tags: {kuma.io/service: httpbin}}" // to decide about, because no MeshService has the name
			storeOlder(t, s.old, withoutDecisions(t, s.old, testworld.Resources(t, strings.Replace(documents, outbound, "", 1))))
			w.write(t, s.old, fmt.Sprintf(takeover, mesh))
			w.must(t, "apply", "-auto-approve")
			one, two := w.output(t, "one"), w.output(t, "two")
			report := w.output(t, "report")
			w.write(t, s.old, one)
			w.must(t, "apply", "-auto-approve")
			w.must(t, "plan", "-detailed-exitcode")
			w.carry(t)
			w.write(t, s.recent, two)
			w.must(t, "plan", "-out=two")
			for _, r := range tree.Objects(decode(t, w.must(t, "show", "-json", "two"))["resource_changes"]) {
				change := tree.Object(r["change"])
				before := tree.Object(change["before"])
				if actions := tree.List(change["actions"]); slices.Contains(actions, any("delete")) && !strings.Contains(report, " of "+tree.Text(before["name"])+":") {
					t.Errorf("stage two plans %v of %s because of %v, which the report does not name", actions, r["address"], change["replace_paths"])
				}
			}
			w.must(t, "apply", "two")
			w.must(t, "plan", "-detailed-exitcode")
			w.must(t, "destroy", "-auto-approve")
		})
	}
}

// withoutDecisions returns documents without the policies and services about which a rewriting asks to decide, also in
// stage two: of clients by tags, because no proxy has an identity.
func withoutDecisions(t *testing.T, cp *oracle.Site, documents []kuma.Resource) []kuma.Resource {
	t.Helper()
	result, err := upgrade.Rewrite(documents, upgrade.Options{ControlPlane: cp.Info.ControlPlane})
	if err != nil {
		t.Fatal(err)
	}
	open := result.Report.Of(upgrade.Manual)
	byTags := []string{kinds.TrafficPermission, "FaultInjection"}
	return slices.DeleteFunc(documents, func(r kuma.Resource) bool {
		kept := r.Type == kuma.KindMesh || r.Type == kuma.KindDataplane && tree.Object(r.Body["networking"])["gateway"] == nil
		return slices.Contains(byTags, r.Type) || !kept && slices.ContainsFunc(open, func(i upgrade.Item) bool { return i.Key == r.Key() })
	})
}

type stateOfStages struct {
	*stages
	mesh, dir string
	run       func(arguments ...string) ([]byte, error)
}

// write writes the configuration for a control plane.
func (w stateOfStages) write(t *testing.T, cp *oracle.Site, configuration string) {
	t.Helper()
	for name, text := range map[string]string{
		"main.tf":          fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", cp.Endpoint) + configuration,
		"terraform.tf":     requiredProvider,
		"terraform.tfvars": "secret_partner_ca = \"partner\"\nsecret_partner_key = \"secret\"\n",
	} {
		if err := os.MkdirAll(w.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (w stateOfStages) must(t *testing.T, arguments ...string) []byte {
	t.Helper()
	out, err := w.run(append([]string{"-chdir=" + w.dir}, arguments...)...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", arguments, err, out)
	}
	return out
}

func (w stateOfStages) output(t *testing.T, name string) string {
	t.Helper()
	return string(w.must(t, "output", "-raw", name))
}

// carry stores what 2.14 has in a control plane of 3.0, as far as it accepts it, as an upgrade does with the store.
func (w stateOfStages) carry(t *testing.T) {
	t.Helper()
	stored, err := w.old.Stored(t.Context(), w.mesh)
	if err != nil {
		t.Fatal(err)
	}
	stored = slices.DeleteFunc(stored, func(r kuma.Resource) bool {
		return kinds.IsGeneratedService(r) || r.Mesh != w.mesh && r.Key() != kuma.MeshKey(w.mesh)
	})
	d := oracle.Deployment{Sites: []*oracle.Site{w.recent}}
	rejected, err := d.Store(t.Context(), d.Writes(stored))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d resources carried, %d rejected", len(stored)-len(rejected), len(rejected))
	removeInitialPolicies(t, w.recent, w.mesh, stored)
}
