package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// shop is a copy of the example with its modules, on the control plane of a test.
type shop struct {
	providertest.CLI

	cp providertest.ControlPlane
}

func newShop(t *testing.T, cp providertest.ControlPlane) shop {
	t.Helper()
	s := shop{providertest.NewCLI(t, nil), cp}
	s.NeedVersion(t, providertest.HasWriteOnly)
	s.Env = append(s.Env, "TF_VAR_kuma_version="+cp.ControlPlane.Release.String())
	s.Copy(t, filepath.Join(providertest.Examples, "modules"), "modules")
	s.Copy(t, filepath.Join(providertest.Examples, "shop"), "shop")
	s.Dir = filepath.Join(s.Dir, "shop")
	providertest.Write(t, filepath.Join(s.Dir, "provider.tf"), s.cp.ConfigWith(`reference_checks = "error"`))
	s.Must(t, "get")
	return s
}

// eachShop tests the shop on each release.
func eachShop(t *testing.T, test func(t *testing.T, s shop)) {
	t.Helper()
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
		t.Helper()
		test(t, newShop(t, open(t, providertest.Since("2.14"), providertest.Writes(kinds.Dataplane))))
	})
}

// TestShop tests the lifecycle of the shop: it is created, an input changes, a
// service moves to another address, is renamed and removed, and everything is
// destroyed. The second plan of each step is empty, and the guide shows the
// impact of the input.
func TestShop(t *testing.T) {
	providertest.NeedNightly(t)
	eachShop(t, testShop)
}

func testShop(t *testing.T, s shop) {
	t.Helper()

	says := func(text, want string) {
		t.Helper()
		if !strings.Contains(text, strings.TrimSpace(want)) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}

	says(s.step(t), "8 dataplanes are added: ")
	s.edit(t, "variables.tf", `"2s"`, `"5s"`)
	says(testworld.Text(t, testworld.Path("templates", "guides", "universal-mesh.md.tmpl")), s.step(t))
	s.edit(t, "variables.tf", "= 10\n", "= 100\n")
	says(s.step(t), "`checkout-stable` weight 90 → 0, `checkout-canary` weight 10 → 100")

	renamed := strings.NewReplacer("module.stock", "module.inventory", `module "stock"`, `module "inventory"`)
	for _, file := range testworld.Files(t, filepath.Join(s.Dir, "*.tf")) {
		providertest.Write(t, file, renamed.Replace(testworld.Text(t, file)))
	}
	providertest.Write(t, filepath.Join(s.Dir, "moved.tf"), "moved {\n  from = module.stock\n  to   = module.inventory\n}\n")
	s.Must(t, "get")
	if out := s.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "0 added, 0 changed, 0 destroyed") {
		t.Errorf("to move a module changes something:\n%s", out)
	}
	s.edit(t, "services.tf", `name         = "stock"`, `name         = "inventory"`)
	says(s.step(t), "MeshService \"inventory\"")

	s.edit(t, "services.tf", inventory.FindString(s.text(t, "services.tf")), "")
	s.edit(t, "services.tf", "    (module.inventory.name)    = { port = 9002, service_port = 50051 }\n", "")
	s.edit(t, "gate.tf", "    module.inventory.resources,\n", "")
	s.edit(t, "gate.tf", ", module.inventory.name]", "]")
	s.edit(t, "tokens.tf", "module.inventory.name, ", "")
	testworld.NoError(t, os.Remove(filepath.Join(s.Dir, "moved.tf")))
	s.step(t)
	if left, err := s.cp.Client.List(t.Context(), kinds.MeshService, "shop"); err != nil || slices.ContainsFunc(left, func(r kuma.Resource) bool { return r.Name == "inventory" }) {
		t.Errorf("the service that was removed is still there: %v (%v)", left, err)
	}

	s.Must(t, "destroy", "-auto-approve")
	if err := s.cp.IsEmpty(); err != nil {
		t.Error(err)
	}
}

// TestShopAfterUpgrade checks that the shop needs no change after an upgrade of its
// control plane from Kuma 2.14 to 3.0, and that it can still be changed and destroyed.
func TestShopAfterUpgrade(t *testing.T) {
	t.Parallel()
	providertest.NeedNightly(t)
	providertest.NeedCLI(t)
	releases := embedded.Releases()
	before, after := releases[0], releases[len(releases)-1]
	s := newShop(t, providertest.NewEmbeddedRelease(t, before))
	s.Must(t, "apply", "-auto-approve")

	providertest.Write(t, filepath.Join(s.cp.Dir, ".kuma-version"), after.String())
	s.edit(t, "provider.tf", strconv.Quote(before.String()), strconv.Quote(after.String()))
	s.Env = append(s.Env, "TF_VAR_kuma_version="+after.String())
	if out, code := s.Run(t, "plan", "-detailed-exitcode"); code != 0 || strings.Contains(out, "Check block assertion") {
		t.Errorf("the plan after the upgrade ends with %d, has changes or fails a check:\n%s", code, out)
	}
	s.edit(t, "variables.tf", `"2s"`, `"5s"`)
	s.step(t)
	s.Must(t, "destroy", "-auto-approve")
}

// inventory is the block of the service that was renamed.
var inventory = regexp.MustCompile(`(?ms)^module "inventory" \{.*?^\}\n`)

// TestShopWarnsOfAChange checks that each check fails in the plan of a change that
// breaks it.
func TestShopWarnsOfAChange(t *testing.T) { eachShop(t, testShopWarnsOfAChange) }

func testShopWarnsOfAChange(t *testing.T, s shop) {
	t.Helper()
	s.Must(t, "apply", "-auto-approve")
	s.edit(t, "canary.tf", "= var.canary_weight", "= 50")
	s.edit(t, "canary.tf", "= var.checkout_timeout", "= \"9s\"")
	s.edit(t, "services.tf", "num_retries = 2", "num_retries = 9")
	s.edit(t, "external.tf", "[module.checkout.name]", "[module.stock.name]")
	s.edit(t, "gate.tf", "module.stock.resources,", "module.stock.resources,\n[kuma_mesh_timeout.nowhere],")
	providertest.Write(t, filepath.Join(s.Dir, "nowhere.tf"), `
resource "kuma_mesh_timeout" "nowhere" {
  mesh = module.mesh.name
  name = "nowhere"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "nowhere" }
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          request_timeout = "1s"
        }
      }
    }
  }
}
`)
	out := s.Must(t, "plan")
	for _, check := range checkBlock.FindAllStringSubmatch(s.text(t, "gate.tf"), -1) {
		if !strings.Contains(out, "in "+check[0]) {
			t.Errorf("the plan does not say that the %s fails:\n%s", check[0], out)
		}
	}
}

var checkBlock = regexp.MustCompile(`check "\w+"`)

// TestShopRefusesAMistake checks that the lint of a plan fails it before anything is
// written.
func TestShopRefusesAMistake(t *testing.T) {
	providertest.NeedNightly(t)
	eachShop(t, testShopRefusesAMistake)
}

func testShopRefusesAMistake(t *testing.T, s shop) {
	t.Helper()
	s.Must(t, "apply", "-auto-approve")
	s.edit(t, "gate.tf", "module.stock.resources,", "module.stock.resources,\n[kuma_mesh_service.typo],")
	providertest.Write(t, filepath.Join(s.Dir, "typo.tf"), `
resource "kuma_mesh_service" "typo" {
  mesh = module.mesh.name
  name = "typo"

  spec {
    selector {
      dataplane_labels {
        match_labels = { "kuma.io/workload" = "stock" }
      }
    }
    ports {
      port        = 80
      target_port = "htpt"
    }
  }
}
`)
	before := s.timeouts(t)
	out, code := s.Run(t, "apply", "-auto-approve", "-var", "checkout_timeout=9s")
	if code == 0 || !strings.Contains(out, "Module output value precondition failed") || !strings.Contains(out, `MeshService "typo"`) {
		t.Errorf("the apply ends with %d, and its message does not name the mistake:\n%s", code, out)
	}
	if diff := cmp.Diff(before, s.timeouts(t)); diff != "" {
		t.Errorf("something was written (-before +after):\n%s", diff)
	}
	s.Must(t, "destroy", "-auto-approve")
}

// timeouts are those that the control plane stores for the mesh.
func (s shop) timeouts(t *testing.T) map[string]any {
	t.Helper()
	stored, err := s.cp.Client.List(t.Context(), kinds.MeshTimeout, "shop")
	testworld.NoError(t, err)
	specs := map[string]any{}
	for _, r := range stored {
		specs[r.Name] = r.Body
	}
	return specs
}

// step plans, applies the plan, and checks that the next plan is empty and that
// no check fails. It returns the impact that the plan reported.
func (s shop) step(t *testing.T) string {
	t.Helper()
	s.Must(t, "get")
	if out := s.Must(t, "plan", "-out=plan"); strings.Contains(out, "Check block assertion") {
		t.Errorf("a check of the plan fails:\n%s", out)
	}
	impact := s.impact(t, "plan")
	s.Must(t, "apply", "plan")
	if out, code := s.Run(t, "plan", "-detailed-exitcode"); code != 0 || strings.Contains(out, "Check block assertion") {
		t.Fatalf("the second plan ends with %d, has changes or fails a check:\n%s", code, out)
	}
	return impact
}

// impact returns the impact that a saved plan reports.
func (s shop) impact(t *testing.T, plan string) string {
	t.Helper()
	var shown struct {
		PriorState struct {
			Values struct {
				RootModule struct {
					Resources []struct {
						Address string
						Values  struct{ Summary string }
					}
				} `json:"root_module"`
			}
		} `json:"prior_state"`
	}
	s.JSON(t, &shown, "show", "-json", plan)
	for _, r := range shown.PriorState.Values.RootModule.Resources {
		if r.Address == "data.kuma_policy_impact.shop" {
			return r.Values.Summary
		}
	}
	t.Fatal("the plan has no impact")
	return ""
}

func (s shop) text(t *testing.T, file string) string {
	t.Helper()
	return testworld.Text(t, filepath.Join(s.Dir, file))
}

// edit replaces a string in a file, which must contain it.
func (s shop) edit(t *testing.T, file, before, after string) {
	t.Helper()
	text := s.text(t, file)
	if before == "" || !strings.Contains(text, before) {
		t.Fatalf("%s does not contain %q", file, before)
	}
	providertest.Write(t, filepath.Join(s.Dir, file), strings.Replace(text, before, after, 1))
}
