package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/command"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// reviewed is the review of a plan as JSON.
type reviewed struct {
	Decision string
	Changes  []struct{ Address, Action string }
	Findings []struct{ ID, Effect, Message, Address string }
	Meshes   []struct {
		Mesh   string
		Impact struct{ Summary string }
	}
	exitCode int
	errors   string
}

// review reviews a saved plan with some options.
func (s shop) review(t *testing.T, plan []byte, options ...string) (r reviewed) {
	t.Helper()
	var out, errs bytes.Buffer
	r.exitCode = command.Run(t.Context(), "test", slices.Concat([]string{"review", "-format=json"}, options, []string{"-"}), bytes.NewReader(plan), &out, &errs)
	if r.errors = errs.String(); out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatalf("%v\n%s%s", err, out.String(), r.errors)
		}
	}
	return r
}

// stored returns the options for what the control plane of the test stores.
func (s shop) stored() []string {
	if s.cp.Dir == "" {
		return []string{"-endpoint", s.cp.Endpoint}
	}
	return []string{"-embedded", s.cp.Dir}
}

// edit is one replacement in a file.
type edit struct{ file, before, after string }

// TestReviewOfShop checks the reviews of changes of the shop: they equal the impact that the data
// source in the same plan computes, whether the review reads the control plane or only the plan, and
// name what a gate can refuse with its address.
func TestReviewOfShop(t *testing.T) {
	eachShop(t, func(t *testing.T, s shop) {
		t.Helper()
		s.Must(t, "apply", "-auto-approve")
		files := map[string]string{}
		for _, file := range testworld.Files(t, filepath.Join(s.Dir, "*.tf")) {
			files[file] = testworld.Text(t, file)
		}
		callers := "  callers      = [module.storefront.name]\n  outbounds = {"
		for name, test := range map[string]struct {
			edits   []edit
			added   string // to the configuration
			effects []string
			address string // of a finding
		}{
			"nothing":              {nil, "", nil, ""},
			"canary":               {[]edit{{"variables.tf", "= 10\n", "= 50\n"}}, "", []string{"requests-changed", "settings-changed"}, "module.checkout_canary.kuma_mesh_http_route.this"},
			"timeout":              {[]edit{{"variables.tf", `"2s"`, `"5s"`}}, "", []string{"settings-changed"}, "module.checkout_canary.kuma_mesh_timeout.this[0]"},
			"permission removed":   {[]edit{{"services.tf", callers, "  callers      = []\n  outbounds = {"}}, "", []string{"access-lost"}, ""},
			"another caller":       {[]edit{{"services.tf", callers, "  callers      = [module.storefront.name, module.edge.name]\n  outbounds = {"}}, "", []string{"access-gained"}, "module.checkout.kuma_mesh_traffic_permission.callers[0]"},
			"instances removed":    {[]edit{{"services.tf", `    checkout-2 = { address = "10.0.2.2", labels = { version = "v1" } }` + "\n", ""}}, "", nil, ""},
			"module removed":       {[]edit{{"gateway.tf", files[filepath.Join(s.Dir, "gateway.tf")], ""}, {"services.tf", "[module.edge.name]", "[]"}, {"gate.tf", "    module.edge.resources,\n", ""}, {"tokens.tf", ", module.edge.name,", ","}}, "", nil, ""},
			"moved":                {[]edit{{"external.tf", `"kuma_dataplane" "egress"`, `"kuma_dataplane" "out"`}, {"gate.tf", "kuma_dataplane.egress", "kuma_dataplane.out"}}, "moved {\n  from = kuma_dataplane.egress\n  to   = kuma_dataplane.out\n}\n", nil, ""},
			"manifest":             {[]edit{{"gate.tf", "[kuma_dataplane.egress],", "[kuma_dataplane.egress], [kuma_manifest.slow],"}}, manifest, []string{"settings-changed"}, "kuma_manifest.slow"},
			"reference to nothing": {[]edit{{"gate.tf", "[kuma_dataplane.egress],", "[kuma_dataplane.egress], [kuma_manifest.slow],"}}, strings.ReplaceAll(manifest, `"stock"`, `"stok"`), []string{"error"}, "kuma_manifest.slow"},
		} {
			t.Run(name, func(t *testing.T) { //nolint:paralleltest // they share the configuration
				if !slices.Contains([]string{"canary", "permission removed", "manifest"}, name) {
					providertest.NeedNightly(t)
				}
				for file, text := range files {
					providertest.Write(t, file, text)
				}
				_ = os.Remove(filepath.Join(s.Dir, "added.tf"))
				for _, e := range test.edits {
					s.edit(t, e.file, e.before, e.after)
				}
				if test.added != "" {
					providertest.Write(t, filepath.Join(s.Dir, "added.tf"), test.added)
				}
				s.edit(t, "gate.tf", `condition     = data.kuma_mesh_lint.shop.counts["error"] == 0`, `condition     = data.kuma_mesh_lint.shop.counts["error"] >= 0`)
				s.edit(t, "provider.tf", `reference_checks = "error"`, "")
				s.Must(t, "get")
				s.Must(t, "plan", "-out=plan")
				plan := s.Show(t, "plan")
				live := s.review(t, plan, s.stored()...)
				want := s.impact(t, "plan")
				if len(live.Meshes) == 0 && strings.HasPrefix(want, "Mesh shop: no dataplane changes.") {
					want = ""
				}
				var got string
				for _, m := range live.Meshes {
					got = m.Impact.Summary
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("impact of the data source (-), and of the review (+):\n%s%s", diff, live.errors)
				}
				found := map[string]bool{}
				addressed := test.address == ""
				for _, f := range live.Findings {
					found[f.Effect] = true
					addressed = addressed || f.Address == test.address
				}
				for _, effect := range test.effects {
					if !found[effect] {
						t.Errorf("there is no finding %s: %v", effect, live.Findings)
					}
				}
				if !addressed {
					t.Errorf("no finding has the address %s: %v", test.address, live.Findings)
				}
				gated := s.review(t, plan, append(s.stored(), "-fail-on", strings.Join(test.effects, ","))...)
				if want := map[bool]int{true: 1}[len(test.effects) > 0]; gated.exitCode != want {
					t.Errorf("exit code %d with -fail-on %v, want %d: %s", gated.exitCode, test.effects, want, gated.errors)
				}
				alone := s.review(t, plan, "-managed-only", "-kuma-version", s.cp.ControlPlane.Release.String())
				for _, f := range alone.Findings {
					delete(found, f.Effect)
				}
				if len(found) > 0 {
					t.Errorf("the plan alone has no findings %v: %v %s", found, alone.Findings, alone.errors)
				}
			})
		}
	})
}

const manifest = `
resource "kuma_manifest" "slow" {
  manifest = {
    type = "MeshTimeout"
    mesh = module.mesh.name
    name = "slow"
    spec = {
      targetRef = { kind = "Dataplane", labels = { "kuma.io/workload" = "checkout" } }
      to        = [{ targetRef = { kind = "MeshService", labels = { "kuma.io/display-name" = "stock" } }, default = { http = { requestTimeout = "9s" } } }]
    }
  }
}
`

// TestReviewOfGuide runs the review of the guide, which shows its result.
func TestReviewOfGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": testworld.Text(t, filepath.Join(providertest.Examples, "impact", "main.tf"))})
	c.Must(t, "apply", "-auto-approve")
	c.Must(t, "plan", "-var", "payments_timeout=2s", "-out=plan.bin")
	providertest.Write(t, filepath.Join(c.Dir, "plan.json"), string(c.Show(t, "plan.bin")))
	guide := testworld.Text(t, testworld.Path("templates", "guides", "preview-a-change.md.tmpl"))
	_, block, found := strings.Cut(guide, "```console\n$ terraform-provider-kuma ")
	line, want, _ := strings.Cut(block, "\n")
	want, _, ended := strings.Cut(want, "```")
	if !found || !ended {
		t.Fatal("the guide has no review")
	}
	arguments := strings.Fields(strings.NewReplacer(" mesh ", " "+filepath.Join(c.Dir, "mesh")+" ", "plan.json", filepath.Join(c.Dir, "plan.json")).Replace(line))
	var out, errs bytes.Buffer
	code := command.Run(t.Context(), "test", arguments, nil, &out, &errs)
	version := regexp.MustCompile(`The plan of (Terraform|OpenTofu) [0-9.]+`)
	if diff := cmp.Diff(version.ReplaceAllString(want, ""), version.ReplaceAllString(out.String(), "")); diff != "" || code != 1 {
		t.Errorf("exit code %d (-guide +got):\n%s%s", code, diff, errs.String())
	}

	// The directory does not say its zone, to which new policies belong.
	file := filepath.Join(c.Dir, "timeout.yaml")
	providertest.Write(t, file, "{type: MeshTimeout, mesh: shop, name: new, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: stock}}, default: {connectionTimeout: 3s}}]}}\n")
	out.Reset()
	code = command.Run(t.Context(), "test", []string{"impact", "-embedded", filepath.Join(c.Dir, "mesh"), file}, nil, &out, &errs)
	if want := "→ `3s`, set by new to[0]"; code != 0 || !strings.Contains(out.String(), want) {
		t.Errorf("exit code %d, want %q in\n%s%s", code, want, out.String(), errs.String())
	}
}
