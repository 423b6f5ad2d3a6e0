package proxies_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
  global       = %t
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
			w := &stateOfStages{stages: s, mesh: mesh, dir: filepath.Join(dir, mesh), run: run}
			const outbound = ", {port: 10002, tags: {kuma.io/service: httpbin}}" // to decide about, because no MeshService has the name
			storeOlder(t, s.old, withoutDecisions(t, s.old, testworld.Resources(t, strings.Replace(documents, outbound, "", 1))))
			w.takeOver(t)
			w.carry(t)
			w.apply(t, s.recent, w.two)
			w.must(t, "destroy", "-auto-approve")
		})
	}
}

// TestStateOfZones does the same with a global control plane and its zones, whose proxies keep their configuration in
// stage one.
func TestStateOfZones(t *testing.T) {
	terraform := needTerraform(t)
	old, recent := deployZones(t, "KUMA_CP"), deployZones(t, "KUMA3_CP")
	if old.Sites[0].Info.Release.Kuma3() {
		t.Skip("stage one is for Kuma 2.14")
	}
	storeCompany(t, old)
	run, dir := newTerraformIn(t, terraform, "")
	in := func(zone string) *stateOfStages {
		s := &stages{old: old.Zone(zone), recent: recent.Zone(zone)}
		return &stateOfStages{stages: s, mesh: "company", dir: filepath.Join(dir, "zone-"+zone), run: run}
	}
	global, east, west := in(""), in("east"), in("west")
	east.keepProxies(t, func() {
		west.keepProxies(t, func() {
			for _, w := range []*stateOfStages{east, west, global, east, west, global} {
				time.Sleep(settlePause) // in which the zones exchange their resources, and generate services
				w.takeOver(t)
			}
		})
	})
	for _, w := range []*stateOfStages{global, east, west} {
		w.carry(t)
		testworld.NoError(t, recent.AwaitMesh(t.Context(), w.mesh))
	}
	for _, w := range []*stateOfStages{global, east, west} {
		w.apply(t, w.recent, w.two)
	}
	for _, w := range []*stateOfStages{east, west, global} {
		time.Sleep(settlePause) // until the global control plane knows that the zones have no Dataplanes
		w.must(t, "destroy", "-auto-approve")
	}
}

// keepProxies connects the proxies of a zone, whose configuration do must not change.
func (w *stateOfStages) keepProxies(t *testing.T, do func()) {
	t.Helper()
	w.compareStageOne(t, w.mesh, startProxies(t, w.old, owned(storedBy(t, w.old), w.old)), func() upgrade.Report {
		do()
		return nil
	})
	if t.Log(w.stages); w.kept.Load() == 0 {
		t.Error("no proxy was compared")
	}
}

// withoutDecisions returns documents without the policies and services about which a rewriting asks to decide, also in
// stage two: of clients by tags, because no proxy has an identity.
func withoutDecisions(t *testing.T, cp *oracle.Site, documents []kuma.Resource) []kuma.Resource {
	t.Helper()
	result, err := upgrade.Rewrite(documents, upgrade.Options{ControlPlane: cp.Info.ControlPlane})
	testworld.NoError(t, err)
	open := result.Report.Of(upgrade.Manual)
	byTags := []string{kinds.TrafficPermission, "FaultInjection"}
	return slices.DeleteFunc(documents, func(r kuma.Resource) bool {
		kept := r.Type == kuma.KindMesh || r.Type == kuma.KindDataplane && tree.Object(r.Body["networking"])["gateway"] == nil
		return slices.Contains(byTags, r.Type) || !kept && slices.ContainsFunc(open, func(i upgrade.Item) bool { return i.Key == r.Key() })
	})
}

type stateOfStages struct {
	*stages
	mesh, dir   string
	run         func(arguments ...string) ([]byte, error)
	two, report string // what was read last
}

// takeOver reads the stages of what 2.14 stores, in a state of its own, and applies the first one.
func (w *stateOfStages) takeOver(t *testing.T) {
	t.Helper()
	reader := *w
	reader.dir = filepath.Join(w.dir, "read")
	reader.write(t, w.old, fmt.Sprintf(takeover, w.mesh, w.old.Info.Federated))
	reader.must(t, "apply", "-auto-approve")
	w.two, w.report = reader.output(t, "two"), reader.output(t, "report")
	w.apply(t, w.old, reader.output(t, "one"))
}

// apply applies the configuration of a stage, which destroys only what the report names, and leaves an empty plan.
func (w *stateOfStages) apply(t *testing.T, cp *oracle.Site, configuration string) {
	t.Helper()
	w.write(t, cp, configuration)
	w.must(t, "plan", "-out=stage")
	for _, r := range tree.Objects(decode(t, w.must(t, "show", "-json", "stage"))["resource_changes"]) {
		change := tree.Object(r["change"])
		named := strings.Contains(w.report, " of "+tree.Text(tree.Object(change["before"])["name"])+":")
		if actions := tree.List(change["actions"]); slices.Contains(actions, any("delete")) && !named {
			t.Errorf("%v is planned for %s because of %v, which the report does not name", actions, r["address"], change["replace_paths"])
		}
	}
	w.must(t, "apply", "stage")
	w.must(t, "plan", "-detailed-exitcode")
}

// write writes the configuration for a control plane.
func (w *stateOfStages) write(t *testing.T, cp *oracle.Site, configuration string) {
	t.Helper()
	for name, text := range map[string]string{
		"main.tf":          fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", cp.Endpoint) + configuration,
		"terraform.tf":     requiredProvider,
		"terraform.tfvars": "secret_partner_ca = \"partner\"\nsecret_partner_key = \"secret\"\n",
	} {
		testworld.NoError(t, os.MkdirAll(w.dir, 0o700))
		testworld.NoError(t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600))
	}
}

func (w *stateOfStages) must(t *testing.T, arguments ...string) []byte {
	t.Helper()
	out, err := w.run(append([]string{"-chdir=" + w.dir}, arguments...)...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", arguments, err, out)
	}
	return out
}

func (w *stateOfStages) output(t *testing.T, name string) string {
	t.Helper()
	return string(w.must(t, "output", "-raw", name))
}

// carry stores what 2.14 has in a control plane of 3.0, as far as it accepts it, as an upgrade does with the store.
func (w *stateOfStages) carry(t *testing.T) {
	t.Helper()
	stored, err := w.old.Stored(t.Context(), w.mesh)
	testworld.NoError(t, err)
	stored = slices.DeleteFunc(stored, func(r kuma.Resource) bool {
		k, _ := kinds.Find(r.Type)
		return kinds.IsGeneratedService(r) || k.Synced(r, w.old.Info.ControlPlane) || r.Mesh != w.mesh && r.Key() != kuma.MeshKey(w.mesh)
	})
	d := oracle.Deployment{Sites: []*oracle.Site{w.recent}}
	rejected, err := d.Store(t.Context(), d.Writes(stored))
	testworld.NoError(t, err)
	t.Logf("%d resources carried, rejected: %v", len(stored)-len(rejected), rejected)
	removeInitialPolicies(t, w.recent, w.mesh, stored)
}
