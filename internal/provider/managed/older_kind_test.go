package managed_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestImportOfOlderKind imports a document of a kind without a declaration, to which the
// control plane added a label, with and without that label in the manifest.
func TestImportOfOlderKind(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const document = `{"type": "ExternalService", "mesh": "default", "name": "httpbin", "networking": {"address": "httpbin:80"}`
	config := (&providertest.OtherRelease{Version: "2.14.3"}).Start(t)
	endpoint := strings.Split(config, `"`)[3]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, endpoint+"/meshes/default/external-services/httpbin", strings.NewReader(document+"}"))
	testworld.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	testworld.NoError(t, err)
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	for name, labels := range map[string]string{"without labels": "", "with the label": `, "labels": {"kuma.io/mesh": "default"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + config + `
resource "kuma_manifest" "x" {
  manifest = ` + document + labels + `}
}
import {
  to = kuma_manifest.x
  id = "ExternalService/default/httpbin"
}
`})
			if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "1 imported, 0 added, 0 changed") {
				t.Errorf("the import changes the resource:\n%s", out)
			}
			c.PlanIsEmpty(t)
		})
	}
}

// TestUpgradeToKuma3UnderAManifest upgrades a control plane to Kuma 3.0 while a manifest of
// a kind that this provider does not describe is in the state: it is gone with its kind.
func TestUpgradeToKuma3UnderAManifest(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	older := &providertest.OtherRelease{Version: "2.14.3"}
	older.Start(t)
	newer, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.ParseRelease("3.0")})
	testworld.NoError(t, err)
	var upgraded atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if upgraded.Load() {
			newer.ServeHTTP(w, r)
			return
		}
		older.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	provider := providertest.RequiredProvider + fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL)
	const manifest = `
resource "kuma_manifest" "httpbin" {
  manifest = {
    type       = "ExternalService"
    mesh       = "default"
    name       = "httpbin"
    networking = { address = "httpbin.org:80" }
  }
}
`
	for name, test := range map[string]struct{ config, args, want string }{
		"plan":                    {manifest, "plan", "Kuma 3.0 removed kind ExternalService, and the control plane runs 3.0. Use MeshExternalService"},
		"removed":                 {"", "apply -auto-approve", "0 added, 0 changed, 0 destroyed"},
		"destroy":                 {"", "destroy -auto-approve", "0 destroyed"},
		"destroy without refresh": {manifest, "destroy -auto-approve -refresh=false", "1 destroyed"},
	} {
		c := providertest.NewCLI(t, map[string]string{"main.tf": provider + manifest})
		upgraded.Store(false)
		c.Must(t, "apply", "-auto-approve")
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), provider+test.config)
		upgraded.Store(true)
		if out, _ := c.Run(t, strings.Fields(test.args)...); !strings.Contains(strings.Join(strings.Fields(out), " "), test.want) || strings.Contains(out, "Cannot read") {
			t.Errorf("%s: want %q:\n%s", name, test.want, out)
		}
		older.Legacy = map[string]map[string]any{}
	}
}

// TestGeneratedConfigurationLosesDeprecatedBlocks imports an initial policy without a
// configuration. Terraform does not generate configuration for attributes that a
// schema marks as deprecated, so applying the result would delete them.
func TestGeneratedConfigurationLosesDeprecatedBlocks(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.BeforeKuma3)
	cp.Put(t, kuma.Resource{Type: "Mesh", Name: "shop", Body: map[string]any{}})
	const policy = "mesh-timeout-all-shop"
	before, err := cp.Client.Get(context.Background(), kinds.MeshTimeout, "shop", policy)
	testworld.NoError(t, err)
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
		"used":                   {policy, "", `Warning: from is deprecated with kuma_mesh_timeout.web, on main.tf line \d+, in resource "kuma_mesh_timeout" "web": \d+: from \{ Settings for incoming traffic in "from" are deprecated. Move each entry to "rules", without matches, so that it applies to all clients. Kuma 3.0 does not have it any more.`},
		"no instance":            {policy, "count = 0", ""},
		"described as such":      {meshWithMetrics, "", `Warning: metrics is deprecated with kuma_mesh.web, .* Use MeshMetric. Kuma 3.0 does not have it any more.`},
		"described, no instance": {meshWithMetrics, "count = 0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewControlPlane(t, providertest.Since("2.10"), providertest.BeforeKuma3)
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
