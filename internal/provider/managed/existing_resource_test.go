package managed_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// withExisting sets the option existing in the provider block of a configuration.
func withExisting(config, value string) string {
	return strings.Replace(config, "provider \"kuma\" {\n", fmt.Sprintf("provider \"kuma\" {\n  existing = %q\n", value), 1)
}

// connectionTimeout returns the connection timeout of a MeshTimeout.
func connectionTimeout(t *testing.T, client *controlplane.Client) string {
	t.Helper()
	r, _ := storedTimeout(t, client, "a")
	return fmt.Sprint(r.Spec()["to"])
}

// TestExistingResources checks that the argument existing decides whether an existing
// resource is adopted.
func TestExistingResources(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config})
		c.ExpectTimeout()
		c.Must(t, "apply", "-auto-approve")
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), withExisting(config, "adopt_all"))
		c.Refused(t, `existing must be refuse, adopt_equal or adopt, not "adopt_all"`, "plan")
		use := func(existing string) {
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), withExisting(config, existing)+f.block("a", "a", "", ""))
		}

		putTimeout(t, client, "5s")
		before, _ := storedTimeout(t, client, "a")
		use("adopt_equal")
		if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, `MeshTimeout "a" of mesh "shop" will be adopted`) {
			t.Errorf("the plan does not say that the resource is taken over:\n%s", out)
		}
		c.PlanIsEmpty(t)
		if after, _ := storedTimeout(t, client, "a"); !after.ModificationTime.Equal(before.ModificationTime) {
			t.Error("an equal resource was written")
		}
		c.Must(t, "state", "rm", f.typeName+".a")

		putTimeout(t, client, "9s")
		c.Refused(t, `already exists .* spec\.to\[0\]\.default\.connectionTimeout: "9s" -> "5s" .* import \{`, "plan")
		use("adopt")
		out := c.Must(t, "plan")
		if !strings.Contains(out, `MeshTimeout "a" of mesh "shop" will be adopted and updated`) || !strings.Contains(out, `spec.to[0].default.connectionTimeout: "9s" -> "5s"`) {
			t.Errorf("the plan does not say what changes:\n%s", out)
		}
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)
		if got := connectionTimeout(t, client); !strings.Contains(got, "5s") {
			t.Errorf("stored %s, want what is configured", got)
		}
	})
}

// TestManyExistingResources checks that the plan reports all existing resources, not
// only the first.
func TestManyExistingResources(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		const n = 30
		c := providertest.NewCLI(t, map[string]string{"main.tf": config + f.block("many", "local.names[count.index]", "", "count = 30") + "locals {\n  names = [for i in range(30) : \"t-${i}\"]\n}\n"})
		c.ExpectTimeout()
		c.Must(t, "apply", "-auto-approve")
		c.Must(t, "state", "rm", f.typeName+".many")
		out, code := c.Run(t, "plan")
		if got := strings.Count(out, "already exists\n"); code == 0 || got != n {
			t.Errorf("exit code %d and %d errors, want %d:\n%s", code, got, n, out)
		}
		// One resource reports all, and Terraform prints the address of that one above each.
		own, others := strings.Count(out, `as shown after "with" above`), strings.Count(out, `that of the resource named above, not the one after "with"`)
		if own+others != n || own > others {
			t.Errorf("%d import blocks are for the address above and %d for others, want %d:\n%s", own, others, n, out)
		}
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), strings.Replace(testworld.Text(t, filepath.Join(c.Dir, "main.tf")), config, withExisting(config, "adopt_equal"), 1))
		if out := c.Must(t, "plan"); strings.Count(out, "will be adopted\n") != n {
			t.Errorf("%d warnings, want %d:\n%s", strings.Count(out, "will be adopted\n"), n, out)
		}
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)
		wantStored(t, client, "t-0", "t-29")
	})
}

// TestAdoptedIsNotDeleted checks that deleting a resource of the state does not delete
// another one that has taken over its name.
func TestAdoptedIsNotDeleted(t *testing.T) {
	t.Parallel()
	for _, existing := range []string{"refuse", "adopt_equal"} {
		t.Run(existing, func(t *testing.T) {
			t.Parallel()
			onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
				config = withExisting(config, existing)
				dependent := "resource \"terraform_data\" \"slow\" {\n  triggers_replace = " + f.typeName + ".x.name\n  provisioner \"local-exec\" {\n    when    = destroy\n    command = \"sleep 2\"\n  }\n}\n"
				c := providertest.NewCLI(t, map[string]string{"main.tf": config + f.block("x", "a", "", "") + dependent})
				c.Must(t, "apply", "-auto-approve")
				c.Apply(t, config+f.block("x", "b", "", "")+f.block("y", "a", "", "")+dependent)
				wantStored(t, client, "a", "b")
				c.PlanIsEmpty(t)
			})
		})
	}
}

// TestCreateBeforeDestroy checks that a resource cannot be created under the name of
// the one that it replaces, and is not lost when that is deleted.
func TestCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for name, existing := range map[string]string{"refuse": "refuse", "import": "refuse", "adopt_equal": "adopt_equal"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewControlPlane(t)
			config := withExisting(providertest.RequiredProvider+cp.Config, existing) + providertest.SharedMesh + forms["typed"].block("x", "a", "", "lifecycle {\n    create_before_destroy = true\n  }")
			c := providertest.NewCLI(t, map[string]string{"main.tf": config})
			c.Must(t, "apply", "-auto-approve")
			if existing == "refuse" {
				c.Refused(t, `With create_before_destroy, .* needs another name, or existing = "adopt_equal"`, "apply", "-auto-approve", "-replace=kuma_mesh_timeout.x")
				c.Refused(t, `deposed object, it remains from a failed replacement .* existing = "adopt_equal" .*terraform state rm`, "plan")
			} else {
				c.Must(t, "apply", "-auto-approve", "-replace=kuma_mesh_timeout.x")
			}
			wantStored(t, cp.Client, "a")
			if name == "import" { // as the error says
				providertest.Write(t, filepath.Join(c.Dir, "import.tf"), "import {\n  to = kuma_mesh_timeout.x\n  id = \"shop/a\"\n}\n")
				c.Refused(t, "deposed object, .*terraform state rm", "apply", "-auto-approve") // Terraform does not always import
				c.Must(t, "state", "rm", "kuma_mesh_timeout.x")
				c.Must(t, "apply", "-auto-approve")
			}
			c.Apply(t, strings.Replace(config, `existing = "refuse"`, `existing = "adopt_equal"`, 1))
			wantStored(t, cp.Client, "a")
			c.PlanIsEmpty(t)
			c.Apply(t, strings.Replace(config, `name = "a"`, `name = "b"`, 1))
			wantStored(t, cp.Client, "b")
			c.PlanIsEmpty(t)
		})
	}
}

// TestCreatedAfterPlan checks that a resource that another client created after the plan is kept.
func TestCreatedAfterPlan(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config})
		c.ExpectTimeout()
		c.Must(t, "apply", "-auto-approve")
		for _, existing := range []string{"refuse", "adopt_equal"} {
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), withExisting(config, existing)+f.block("a", "a", "", ""))
			c.Must(t, "plan", "-out=plan")
			putTimeout(t, client, "9s")
			c.Refused(t, "already exists", "apply", "plan")
			if got := connectionTimeout(t, client); !strings.Contains(got, "9s") {
				t.Errorf("stored %s, want what the other client wrote", got)
			}
			testworld.NoError(t, client.Delete(context.Background(), kinds.MeshTimeout, "shop", "a"))
		}
	})
}

// TestAdoptionVerifiesPlan checks that an apply adopts only what its plan has read: it
// overwrites neither a later change by another client nor a later resource.
func TestAdoptionVerifiesPlan(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		config = withExisting(config, "adopt")
		c := providertest.NewCLI(t, map[string]string{"main.tf": config})
		c.ExpectTimeout()
		c.Must(t, "apply", "-auto-approve")
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+f.block("a", "a", "", ""))
		is := func(want string) {
			t.Helper()
			if got := connectionTimeout(t, client); !strings.Contains(got, want) {
				t.Errorf("stored %s, want %s", got, want)
			}
		}

		c.Must(t, "plan", "-out=plan")
		putTimeout(t, client, "9s")
		c.Refused(t, `inconsistent final plan .* \.replaced_version: was null`, "apply", "plan")
		is("9s")

		out := c.Must(t, "plan", "-out=plan")
		if !strings.Contains(out, "will be adopted and updated") || !strings.Contains(strings.Join(strings.Fields(out), " "), `reports an inconsistent final plan for replaced_version`) {
			t.Errorf("the plan does not say what the apply verifies:\n%s", out)
		}
		putTimeout(t, client, "8s")
		c.Refused(t, `inconsistent final plan .* \.replaced_version: was cty\.StringVal`, "apply", "plan")
		is("8s")

		c.Must(t, "plan", "-out=plan")
		c.Must(t, "apply", "plan")
		is("5s")
		c.PlanIsEmpty(t)

		address := f.typeName + ".a"
		c.Must(t, "apply", "-auto-approve", "-replace="+address)
		c.Must(t, "taint", address)
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)
		c.Apply(t, config+f.block("a", "b", "", "")+f.block("z", "a", "", ""))
		c.PlanIsEmpty(t)
		wantStored(t, client, "a", "b")

		overwrite := strings.Replace(config, "provider \"kuma\" {\n", "provider \"kuma\" {\n  concurrent_changes = \"overwrite\"\n", 1)
		c.Must(t, "state", "rm", f.typeName+".z")
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), overwrite+f.block("a", "b", "", "")+f.block("z", "a", "", ""))
		c.Must(t, "plan", "-out=plan")
		putTimeout(t, client, "7s")
		c.Must(t, "apply", "plan")
		is("5s")
	})
}

// TestInitialPolicyIsAdopted checks that a policy that the control plane creates with the
// mesh is replaced by a configured one with the same name, in one apply.
func TestInitialPolicyIsAdopted(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t)
	policy := forms["typed"].block("a", "mesh-timeout-all-shop", "", "")
	c := providertest.NewCLI(t, map[string]string{"main.tf": withExisting(providertest.RequiredProvider+cp.Config, "adopt") + "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n" + policy})
	c.Must(t, "plan", "-out=plan")
	c.Must(t, "apply", "plan")
	c.PlanIsEmpty(t)
	c.Must(t, "destroy", "-auto-approve")
}

// TestKilledApply checks that adopt_equal takes over resources that a killed apply has
// created but not saved in the state.
func TestKilledApply(t *testing.T) {
	t.Parallel()
	n := providertest.Size(60)
	server, config := providertest.StartCounted(t)
	server.Latency.Store(int64(100 * time.Millisecond))
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + providertest.ManyTimeouts(n)})
	c.SeparateProcess(t)
	c.Env = append(c.Env, "TMPDIR="+t.TempDir()) // a killed provider leaves its socket
	cmd := c.Command(t.Context(), "apply", "-no-color", "-auto-approve")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	testworld.NoError(t, cmd.Start())
	providertest.Await(t, "the apply has stored a half", func() bool { return len(server.Stored(t)) >= n/2 })
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil { // the provider as well
		t.Fatal(err)
	}
	_ = cmd.Wait()
	server.Latency.Store(0)
	known := 0
	if listed, code := c.Run(t, "state", "list"); code == 0 {
		known = strings.Count(listed, "kuma_mesh_timeout.service[")
	}
	t.Logf("killed with %d of %d stored and %d in the state", len(server.Stored(t)), n, known)
	c.Refused(t, "already exists", "apply", "-auto-approve")
	c.Apply(t, withExisting(config, "adopt_equal")+providertest.ManyTimeouts(n))
	complete(t, server, c, n)
}

// TestImportedSecret checks that an import reads no value, and that a configuration
// without one keeps the stored value.
func TestImportedSecret(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const value = "the-signing-key"
	for name, test := range map[string]struct{ block, id string }{
		"typed": {"resource \"kuma_secret\" \"key\" {\n  mesh = \"shop\"\n  name = \"key\"\n%s}\n", "shop/key"},
		"manifest": {`resource "kuma_manifest" "key" {
  manifest = merge({ type = "Secret", mesh = "shop", name = "key" }, {
%s})
}
`, "Secret/shop/key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewControlPlane(t)
			config := providertest.RequiredProvider + cp.Config
			home := kuma.Resource{Type: "Mesh", Name: "shop"}
			secret := kuma.Resource{Type: "Secret", Mesh: "shop", Name: "key", Body: map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(value))}}
			cp.Put(t, home, secret)
			stored := func() string {
				r, err := cp.Client.Get(context.Background(), kinds.Secret, "shop", "key")
				testworld.NoError(t, err)
				text, _ := r.Body["data"].(string)
				data, err := base64.StdEncoding.DecodeString(text)
				testworld.NoError(t, err)
				return string(data)
			}
			address := strings.Fields(strings.NewReplacer(`"`, "", "resource", "", "{", "").Replace(test.block))
			imports := fmt.Sprintf("import {\n  to = %s.key\n  id = %q\n}\n", address[0], test.id)
			c := providertest.NewCLI(t, map[string]string{"main.tf": config + imports + fmt.Sprintf(test.block, "")})
			if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
				t.Errorf("the import changes something:\n%s", out)
			}
			c.PlanIsEmpty(t)
			if state := testworld.Text(t, filepath.Join(c.Dir, "terraform.tfstate")); strings.Contains(state, value) || strings.Contains(state, base64.StdEncoding.EncodeToString([]byte(value))) {
				t.Error("the state holds the value")
			}

			c.Apply(t, config+fmt.Sprintf(test.block, "  labels = { team = \"web\" }\n"))
			if got := stored(); got != value {
				t.Errorf("an update of the labels stored %q, want the value unchanged", got)
			}
			c.Must(t, "apply", "-auto-approve", "-replace="+address[0]+".key")
			if got := stored(); got != value {
				t.Errorf("a replacement stored %q, want the value of what was replaced", got)
			}
			c.Apply(t, config+fmt.Sprintf(test.block, "  data = \"\"\n"))
			if got := stored(); got != "" {
				t.Errorf("an empty value stored %q, want the secret emptied", got)
			}
			c.PlanIsEmpty(t)
		})
	}
}

// TestMissingMesh checks that the plan warns about a mesh that does not exist, and
// that the error of the apply says how to refer to a mesh of the same configuration.
func TestMissingMesh(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, _ *controlplane.Client, config string) {
		without := strings.Replace(config, providertest.SharedMesh, "", 1) + strings.Replace(f.block("a", "a", "", ""), "kuma_mesh.shop.name", `"shop"`, 1)
		c := providertest.NewCLI(t, map[string]string{"main.tf": without})
		out := strings.Join(strings.Fields(c.Must(t, "plan")), " ")
		if !strings.Contains(out, "Mesh does not exist yet") || !strings.Contains(out, "refer to it as kuma_mesh.shop.name") {
			t.Errorf("the plan does not warn of the missing mesh:\n%s", out)
		}
		c.Refused(t, `Mesh does not exist .* refer to it as kuma_mesh\.shop\.name`, "apply", "-auto-approve")

		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+f.block("a", "a", "", ""))
		if out := c.Must(t, "plan"); strings.Contains(out, "Mesh does not exist") {
			t.Errorf("the plan warns about a mesh that it creates:\n%s", out)
		}
	})
}
