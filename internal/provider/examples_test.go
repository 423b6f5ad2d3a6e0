package provider_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

const examples = "../../examples"

// TestExamples applies every example of a resource or data source, and runs the
// examples of imports. A type without an example fails. The data source and the
// imports of a type use its minimal example instead of applying it again.
func TestExamples(t *testing.T) {
	t.Parallel()
	needCLI(t)
	names := []string{"kuma_manifest"}
	for _, k := range kinds.All() {
		names = append(names, tfschema.TypeName(k.Name))
	}
	for _, name := range names {
		dir := filepath.Join(examples, "resources", name)
		files := testworld.Files(t, filepath.Join(dir, "resource*.tf"))
		if len(files) < 2 {
			t.Errorf("%s needs a minimal and a realistic example", name)
		}
		for _, file := range files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				if realEndpoint != "" && name == tfschema.TypeName(kinds.Workload.Name) {
					t.Skip(managesWorkloads)
				}
				c := example(t, map[string]string{"example.tf": testworld.Text(t, file)})
				if filepath.Base(file) != "resource.tf" {
					return
				}
				if name != "kuma_manifest" { // each kind has a data source of its own
					write(t, filepath.Join(c.dir, "data.tf"), testworld.Text(t, filepath.Join(examples, "data-sources", name, "data-source.tf")))
					c.must(t, "apply", "-auto-approve")
				}
				importExamples(t, c, name)
			})
		}
	}
	for _, name := range []string{"access", "decode_documents", "effective_rules", "encode_document", "encode_resource", "kri", "mesh_lint", "parse_kri", "policy_impact", "request", "sni", "upgrade_documents"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			example(t, map[string]string{"example.tf": testworld.Text(t, filepath.Join(examples, "functions", name, "function.tf"))})
		})
	}
	var analyzing []string
	for _, name := range []string{"kuma_access", "kuma_effective_rules", "kuma_mesh_lint", "kuma_policy_impact", "kuma_proxies", "kuma_proxy_config", "kuma_request", "kuma_resources", "kuma_rollout"} {
		analyzing = append(analyzing, testworld.Files(t, filepath.Join(examples, "data-sources", name, "data-source*.tf"))...)
	}
	for _, file := range analyzing {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			c := example(t, map[string]string{"example.tf": checkoutProxy})
			write(t, filepath.Join(c.dir, "data.tf"), strings.Replace(testworld.Text(t, file), `"old.tfstate"`, `"${path.root}/old.tfstate"`, 1))
			write(t, filepath.Join(c.dir, "old.tfstate"), testworld.Text(t, filepath.Join("testdata", "moves", "kong-mesh.state.json")))
			c.needRelease(t)
			c.must(t, "apply", "-auto-approve")
		})
	}
}

// checkoutProxy is the mesh of the examples of analyses.
const checkoutProxy = `
resource "kuma_mesh" "shop" {
  name = "shop"
  mesh_services {
    mode = "Exclusive"
  }
}
resource "kuma_dataplane" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-1"
  labels = { app = "checkout" }
  networking {
    address = "10.0.0.5"
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}
resource "kuma_mesh_service" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = { app = "checkout" }
  spec {
    selector {
      dataplane_labels {
        match_labels = { app = "checkout" }
      }
    }
    ports {
      port = 8080
    }
  }
}`

// importExamples imports the example of a resource in every way that is shown,
// in place of what is in the state.
func importExamples(t *testing.T, c cli, name string) {
	t.Helper()
	dir := filepath.Join(examples, "resources", name)
	file := filepath.Join(c.dir, "import.tf")
	block := func(from string) {
		t.Helper()
		c.must(t, "state", "rm", name+".example")
		write(t, file, testworld.Text(t, filepath.Join(dir, from)))
		want := "1 imported, 0 added, 0 changed, 0 destroyed"
		if name == "kuma_secret" || name == "kuma_global_secret" {
			want = "Update changes only the state" // an import reads no secret
		}
		if out := c.must(t, "apply", "-auto-approve"); !strings.Contains(out, want) {
			t.Errorf("the import of %s changes something:\n%s", from, out)
		}
	}
	block("import-by-string-id.tf")
	if c.isSince(t, hasIdentities) {
		block("import-by-identity.tf")
	} else {
		t.Log("import by identity needs Terraform or OpenTofu 1.12; TestAcceptedDocuments does it in process")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(testworld.Text(t, filepath.Join(dir, "import.sh")), "terraform ")
	c.must(t, "state", "rm", name+".example")
	c.must(t, strings.Fields(command)...)
}

// example applies files and checks that nothing is left to do, and at the end of
// the test that destroying them leaves nothing.
func example(t *testing.T, files map[string]string) cli {
	t.Helper()
	if realEndpoint != "" {
		return exampleOn(t, newTestControlPlane(t), files)
	}
	if strings.HasPrefix(files["example.tf"], only2) {
		return exampleOn(t, newEmbedded(t), files)
	}
	cp := newEmbeddedRelease(t, kuma.ParseRelease("3.0"))
	text := testworld.Text(t, filepath.Join(examples, "provider", "provider-embedded.tf"))
	cp.config = strings.Replace(text, "${path.root}/mesh", filepath.ToSlash(cp.dir), 1)
	return exampleOn(t, cp, files)
}

// exampleOn is [example] on a control plane.
func exampleOn(t *testing.T, cp testControlPlane, files map[string]string) cli {
	t.Helper()
	files["provider.tf"] = requiredProvider + cp.config
	c := newCLI(t, files)
	c.needMajor(t, cp, files["example.tf"])
	c.needRelease(t)
	c.must(t, "apply", "-auto-approve")
	t.Cleanup(func() { c.destroysAll(t, cp) })
	if out, code := c.run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan has changes:\n%s", out)
	}
	return c
}

// lacking matches messages about what a control plane does not support, because of its
// release or its mode.
var lacking = regexp.MustCompile(`Kuma [^.]*since \d+\.\d+|requires Kuma [\d.]+ or later|Wrong control plane for \w+`)

// needRelease skips a test whose configuration needs a later release, or another
// mode, than that of a real control plane.
func (c cli) needRelease(t *testing.T) {
	t.Helper()
	if realEndpoint == "" {
		return
	}
	out, code := c.run(t, "plan")
	if why := lacking.FindString(strings.Join(strings.Fields(out), " ")); code != 0 && why != "" {
		t.Skip(why)
	}
}

// needMajor skips a test of an example for the other major release, which the control plane
// cannot plan.
func (c cli) needMajor(t *testing.T, cp testControlPlane, example string) {
	t.Helper()
	other := only3
	if cp.ControlPlane.Release.Kuma3() {
		other = only2
	}
	if !strings.HasPrefix(example, other) {
		return
	}
	if out, code := c.run(t, "plan"); code == 0 {
		t.Fatalf("Kuma %s can plan an example that begins with %q:\n%s", cp.ControlPlane.Release, other, out)
	}
	t.Skipf("the example begins with %q", other)
}

// destroysAll destroys the resources of a configuration, and checks that nothing else
// is left.
func (c cli) destroysAll(t *testing.T, cp testControlPlane) {
	t.Helper()
	if t.Failed() || t.Skipped() {
		return
	}
	// In a cleanup, the context of the test has ended.
	if out, code := c.runIn(context.Background(), t, "destroy", "-auto-approve"); code != 0 {
		t.Errorf("destroy: exit code %d\n%s", code, out)
		return
	}
	if err := cp.isEmpty(); err != nil {
		t.Error(err)
	}
}
