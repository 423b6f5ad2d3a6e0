package managed_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// connectTo connects to a control plane that others may use at the same time.
func connectTo(t *testing.T, endpoint string) providertest.ControlPlane {
	t.Helper()
	cp := providertest.Connect(t, controlplane.Config{Endpoint: endpoint}, fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", endpoint))
	cp.Endpoint = endpoint
	return cp
}

// await waits until the resources of a kind in the mesh "shop", which the other
// control plane synchronizes, meet a condition.
func await(t *testing.T, cp providertest.ControlPlane, k def.Kind, want func([]kuma.Resource) bool) {
	t.Helper()
	providertest.Await(t, fmt.Sprintf("%s has each %s", cp.Endpoint, k.Name), func() bool {
		all, err := cp.Client.List(t.Context(), k, "shop")
		return err == nil && want(all)
	})
}

// arrives waits for a resource of a kind with a label, and returns it.
func arrives(t *testing.T, cp providertest.ControlPlane, k def.Kind, label, value string) (arrived kuma.Resource) {
	t.Helper()
	await(t, cp, k, func(all []kuma.Resource) bool {
		i := slices.IndexFunc(all, func(r kuma.Resource) bool { return r.Labels[label] == value })
		if i >= 0 {
			arrived = all[i]
		}
		return i >= 0
	})
	return arrived
}

// answeredRules returns the rules of a Dataplane that the control plane answers.
func answeredRules(t *testing.T, cp providertest.ControlPlane, dataplane string) any {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cp.Endpoint+"/meshes/shop/dataplanes/"+dataplane+"/_rules", nil)
	testworld.NoError(t, err)
	resp, err := http.DefaultClient.Do(r)
	testworld.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s (%v)", r.URL, resp.Status, err)
	}
	return testworld.NormalAnswer(testworld.JSON(t, string(text)))
}

// TestJoinedZone manages a global control plane and a zone that belongs to it.
// Each has copies of the resources of the other, which can be imported and
// read, but neither changed nor destroyed. The effective rules of both are
// those that the control planes answer.
func TestJoinedZone(t *testing.T) {
	t.Parallel()
	if providertest.GlobalEndpoint == "" || providertest.ZoneEndpoint == "" {
		t.Skip("KUMA_GLOBAL_ENDPOINT and KUMA_ZONE_ENDPOINT do not name a global control plane and a zone that belongs to it")
	}
	global, zone := connectTo(t, providertest.GlobalEndpoint), connectTo(t, providertest.ZoneEndpoint)
	policy := forms["typed"].block

	onGlobal := providertest.RequiredProvider + global.Config + providertest.SharedMesh
	c := providertest.NewCLI(t, map[string]string{"main.tf": onGlobal + policy("global", "of-global", "", "")})
	c.Must(t, "apply", "-auto-approve")
	c.PlanIsEmpty(t)
	synced := arrives(t, zone, kinds.MeshTimeout, kuma.LabelDisplayName, "of-global")

	onZone := providertest.RequiredProvider + zone.Config
	own := inShop(policy("own", "of-zone", "", "")) + zone.Adapted(proxyOfShop)
	z := providertest.NewCLI(t, map[string]string{"main.tf": onZone + own})
	z.Must(t, "apply", "-auto-approve")
	z.PlanIsEmpty(t)
	cannotChange(t, z, zone, onZone+own, synced, "the global control plane")

	copied := arrives(t, global, kinds.MeshTimeout, kuma.LabelZone, zone.ControlPlane.Zone)
	cannotChange(t, c, global, onGlobal+policy("global", "of-global", "", ""), copied, fmt.Sprintf("the control plane of zone %q", zone.ControlPlane.Zone))

	proxy := arrives(t, global, kinds.Dataplane, kuma.LabelZone, zone.ControlPlane.Zone)
	for dataplane, s := range map[string]providertest.ControlPlane{"web-1": zone, proxy.Name: global} {
		r := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + s.Config + fmt.Sprintf(`
data "kuma_effective_rules" "proxy" {
  mesh      = "shop"
  dataplane = %q
  include   = ["json"]
}
output "rules" {
  value = data.kuma_effective_rules.proxy.json
}
`, dataplane)})
		r.Must(t, "apply", "-auto-approve")
		computed, err := tree.DecodeJSON([]byte(r.Output(t, "rules")))
		testworld.NoError(t, err)
		time.Sleep(1100 * time.Millisecond) // a control plane repeats an answer for a second
		answered := answeredRules(t, s, dataplane)
		if rules, _ := answered.(map[string]any)["rules"].([]any); len(rules) == 0 {
			t.Errorf("the control plane answers no rules for %s", dataplane)
		}
		computed = testworld.NormalAnswer(computed)
		// Older releases return fewer fields, and the engine returns those of
		// the latest.
		older := !s.ControlPlane.Release.Has("2.14") && store.Contains(computed, answered)
		if diff := cmp.Diff(answered, computed); diff != "" && !older {
			t.Errorf("the rules of %s in mode %s (-control plane +computed):\n%s", dataplane, s.ControlPlane.Mode, diff)
		}
	}

	providertest.Write(t, filepath.Join(z.Dir, "main.tf"), onZone+own)
	z.Must(t, "destroy", "-auto-approve")
	await(t, global, kinds.Dataplane, func(left []kuma.Resource) bool { return len(left) == 0 })
	c.Must(t, "destroy", "-auto-approve")
}

// cannotChange imports the copy of a resource of another control plane, and checks
// that the plans to change and to destroy it name the owner, and that nothing was
// written. The copy is not in the state in the end.
func cannotChange(t *testing.T, c providertest.CLI, s providertest.ControlPlane, config string, copied kuma.Resource, owner string) {
	t.Helper()
	const address = "kuma_mesh_timeout.copy"
	block := inShop(forms["typed"].block("copy", copied.Name, "", ""))
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+block)
	c.Must(t, "import", address, "shop/"+copied.Name)
	c.PlanIsEmpty(t)
	refusal := "Resource owned by another control plane .* endpoint is " + owner
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+strings.Replace(block, `"5s"`, `"6s"`, 1))
	c.Refused(t, refusal, "apply", "-auto-approve")
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config)
	c.Refused(t, refusal, "apply", "-auto-approve")
	c.Must(t, "state", "rm", address)
	now, err := s.Client.Get(context.Background(), kinds.MeshTimeout, "shop", copied.Name)
	if err != nil || !now.ModificationTime.Equal(copied.ModificationTime) {
		t.Errorf("%s was written at %s, before at %s (%v)", copied.Key(), now.ModificationTime, copied.ModificationTime, err)
	}
}

// inShop names the mesh that another configuration manages.
func inShop(block string) string { return strings.ReplaceAll(block, "kuma_mesh.shop.name", `"shop"`) }

const proxyOfShop = `
resource "kuma_dataplane" "web" {
  mesh = "shop"
  name = "web-1"
  networking {
    address = "10.0.0.5"
    inbound {
      port = 8080
      tags = { "kuma.io/service" = "web" }
    }
  }
}
`
