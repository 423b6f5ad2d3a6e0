package managed_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestGeneratedConfigurationLosesDeprecatedBlocks imports an initial policy without a
// configuration. Terraform does not generate configuration for attributes that a
// schema marks as deprecated, so applying the result would delete them.
func TestGeneratedConfigurationLosesDeprecatedBlocks(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.BeforeKuma3)
	if _, _, err := cp.Client.Put(context.Background(), kinds.Mesh, kuma.Resource{Type: "Mesh", Name: "shop", Body: map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	const policy = "mesh-timeout-all-shop"
	before, err := cp.Client.Get(context.Background(), kinds.MeshTimeout, "shop", policy)
	if err != nil {
		t.Fatal(err)
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + `
import {
  to = kuma_mesh_timeout.all
  id = "shop/` + policy + `"
}
`})
	c.Must(t, "plan", "-generate-config-out=generated.tf")
	generated := testworld.Text(t, filepath.Join(c.Dir, "generated.tf"))
	for _, want := range []string{"    from {", "    to {", `"2h0m0s"`} {
		if !strings.Contains(generated, want) {
			t.Errorf("there is no %s in\n%s", want, generated)
		}
	}
	if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
		t.Errorf("the apply does more than import:\n%s", out)
	}
	after, err := cp.Client.Get(context.Background(), kinds.MeshTimeout, "shop", policy)
	if err != nil || !tree.Equal(before.Document(), after.Document()) {
		t.Errorf("stored is\n%v (%v), and was\n%v", after.Document(), err, before.Document())
	}
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan ends with %d, want 0:\n%s", code, out)
	}
}

// TestWarningOfDeprecatedArguments checks that there is one warning where they are
// used, and none for a resource without instances.
func TestWarningOfDeprecatedArguments(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const policy = `
resource "kuma_mesh_timeout" "web" {
  %COUNT%
  mesh = kuma_mesh.home.name
  name = "web"
  spec {
    target_ref {
      kind = "Mesh"
    }
    from {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout = "1m"
      }
    }
  }
}
`
	const home = "resource \"kuma_mesh\" \"home\" {\n  name = \"shop\"\n}\n"
	const meshWithMetrics = `
resource "kuma_mesh" "web" {
  %COUNT%
  name = "web"
  metrics {
    enabled_backend = "prometheus"
    backends {
      name = "prometheus"
      type = "prometheus"
    }
  }
}
`
	for name, test := range map[string]struct {
		config string
		count  string
		want   string // of the only warning; empty for none
	}{
		"used":                   {policy, "", `Warning: from is deprecated with kuma_mesh_timeout.web, on main.tf line \d+, in resource "kuma_mesh_timeout" "web": \d+: from \{ Settings for incoming traffic in "from" are deprecated. Move each entry to "rules", without matches, so that it applies to all clients. A future release`},
		"no instance":            {policy, "count = 0", ""},
		"described as such":      {meshWithMetrics, "", `Warning: metrics is deprecated with kuma_mesh.web, .* Use MeshMetric. A future release`},
		"described, no instance": {meshWithMetrics, "count = 0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewControlPlane(t, providertest.BeforeKuma3)
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + home + strings.Replace(test.config, "%COUNT%", test.count, 1)})
			warnings := c.Must(t, "plan")
			switch got := strings.Count(warnings, "Warning: "); {
			case test.want == "" && got != 0, test.want != "" && got != 1, strings.Contains(warnings, "similar warning"):
				t.Errorf("there are %d warnings:\n%s", got, warnings)
			case test.want != "" && !providertest.Expression(test.want).MatchString(warnings):
				t.Errorf("the warning is not %s:\n%s", test.want, warnings)
			}
		})
	}
}
