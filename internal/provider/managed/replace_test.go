package managed_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// form is one of the two ways to manage a MeshTimeout of the mesh "shop".
type form struct {
	typeName string
	importID func(name string) string
	// block returns the block called label. labels are those of the resource, more
	// is anything else in the block.
	block func(label, name, labels, more string) string
}

// quoted writes a name as an expression, unless it is one.
func quoted(name string) string {
	if strings.ContainsAny(name, "[.") {
		return name
	}
	return fmt.Sprintf("%q", name)
}

var forms = map[string]form{
	"typed": {
		"kuma_mesh_timeout", func(name string) string { return "shop/" + name },
		func(label, name, labels, more string) string {
			if labels != "" {
				labels = "labels = {" + labels + "}"
			}
			return fmt.Sprintf(`
resource "kuma_mesh_timeout" %q {
  mesh = kuma_mesh.shop.name
  name = %s
  %s
  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        connection_timeout = "5s"
      }
    }
  }
  %s
}
`, label, quoted(name), labels, more)
		},
	},
	"manifest": {
		"kuma_manifest", func(name string) string { return "MeshTimeout/shop/" + name },
		func(label, name, labels, more string) string {
			return fmt.Sprintf(`
resource "kuma_manifest" %q {
  manifest = {
    type   = "MeshTimeout"
    mesh   = kuma_mesh.shop.name
    name   = %s
    labels = {%s}
    spec   = { to = [{ targetRef = { kind = "Mesh" }, default = { connectionTimeout = "5s" } }] }
  }
  %s
}
`, label, quoted(name), labels, more)
		},
	},
}

// servers are the control planes that the tests of replacements run on.
var servers = map[string]func(t *testing.T, needs []providertest.Requirement) (client *controlplane.Client, config string){
	"embedded": func(t *testing.T, needs []providertest.Requirement) (*controlplane.Client, string) {
		t.Helper()
		cp := providertest.NewControlPlane(t, needs...)
		return cp.Client, providertest.RequiredProvider + cp.Config
	},
	"remote": func(t *testing.T, _ []providertest.Requirement) (*controlplane.Client, string) {
		t.Helper()
		server, config := providertest.StartCounted(t)
		return providertest.ClientOf(t, server.Server), config
	},
}

// onAll runs a test for both forms on both control planes: in all four combinations with
// NIGHTLY=1, otherwise in two.
func onAll(t *testing.T, test func(t *testing.T, f form, client *controlplane.Client, config string), needs ...providertest.Requirement) {
	t.Helper()
	providertest.NeedCLI(t)
	for server, start := range servers {
		for name, f := range forms {
			if !testworld.Nightly() && (server == "embedded") != (name == "typed") {
				continue
			}
			t.Run(server+"/"+name, func(t *testing.T) {
				t.Parallel()
				client, config := start(t, needs)
				test(t, f, client, config+providertest.SharedMesh)
			})
		}
	}
}

// storedTimeout returns a MeshTimeout of the mesh "shop".
func storedTimeout(t *testing.T, client *controlplane.Client, name string) (kuma.Resource, bool) {
	t.Helper()
	r, err := client.Get(context.Background(), kinds.MeshTimeout, "shop", name)
	if err != nil && !store.IsNotFound(err) {
		t.Fatal(err)
	}
	return r, err == nil
}

func wantStored(t *testing.T, client *controlplane.Client, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, ok := storedTimeout(t, client, name); !ok {
			t.Errorf("MeshTimeout %q is not stored", name)
		}
	}
}

// TestReplacementIsNotRefusedAsExisting checks the second half of a replacement, which
// Terraform plans without a prior state, like a creation.
func TestReplacementIsNotRefusedAsExisting(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		address := f.typeName + ".a"
		main := func(blocks ...string) string { return config + strings.Join(blocks, "") }
		c := providertest.NewCLI(t, map[string]string{"main.tf": main(f.block("a", "a", "", ""))})
		c.Must(t, "apply", "-auto-approve")
		before, _ := storedTimeout(t, client, "a")

		c.Must(t, "apply", "-auto-approve", "-replace="+address)
		c.Must(t, "apply", "-auto-approve", "-refresh=false", "-replace="+address)
		if after, ok := storedTimeout(t, client, "a"); !ok || !after.CreationTime.After(before.CreationTime) {
			t.Errorf("the resource was not replaced: it was created at %s, before at %s", after.CreationTime, before.CreationTime)
		}
		c.Must(t, "taint", address)
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)

		trigger := "resource \"terraform_data\" \"trigger\" {\n  input = %q\n}\n"
		triggered := f.block("a", "a", "", "lifecycle {\n    replace_triggered_by = [terraform_data.trigger]\n  }")
		c.Apply(t, main(triggered, fmt.Sprintf(trigger, "1")))
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), main(triggered, fmt.Sprintf(trigger, "2")))
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)

		c.Must(t, "taint", address)
		c.Must(t, "destroy", "-auto-approve")
		if _, ok := storedTimeout(t, client, "a"); ok {
			t.Error("a tainted resource is still there after the destroy")
		}
	})
}

// TestFailedProvisionerIsNotStuck checks that a resource is replaced after its
// provisioner failed, which taints it.
func TestFailedProvisionerIsNotStuck(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config + f.block("a", "a", "", "provisioner \"local-exec\" {\n    command = \"test -e ready\"\n  }")})
		c.Refused(t, "exit status 1", "apply", "-auto-approve")
		providertest.Write(t, filepath.Join(c.Dir, "ready"), "")
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)
		wantStored(t, client, "a")
	})
}

// TestDisplayNameIsReplaced checks that a change of the label, which is immutable,
// replaces the resource.
func TestDisplayNameIsReplaced(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, nil)
		for _, label := range []string{"first", "second", ""} {
			labels := ""
			if label != "" {
				labels = fmt.Sprintf(`"kuma.io/display-name" = %q`, label)
			}
			c.Apply(t, config+f.block("a", "a", labels, ""))
			c.PlanIsEmpty(t)
			if r, _ := storedTimeout(t, client, "a"); r.Labels[kuma.LabelDisplayName] != label {
				t.Errorf("stored with display name %q, want %q", r.Labels[kuma.LabelDisplayName], label)
			}
		}
	}, providertest.BeforeKuma3)
}

// TestReplacementThatCannotBeCreated checks that a resource is not destroyed if its replacement
// cannot be created: neither by a plan that knows it, nor by one that was saved before.
func TestReplacementThatCannotBeCreated(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config + f.block("a", "a", "", "")})
		c.Must(t, "apply", "-auto-approve")
		moved := func(mesh, name string) string {
			return config + strings.Replace(f.block("a", name, "", ""), "kuma_mesh.shop.name", mesh, 1)
		}
		use := func(config string) { providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config) }
		refused := func(want string, args ...string) {
			c.Refused(t, want, args...)
			wantStored(t, client, "a")
		}

		use(moved(`"shopp"`, "a")) // a typo
		before, _ := storedTimeout(t, client, "a")
		refused(`Mesh does not exist .* no mesh "shopp"`, "plan")
		refused(`Mesh does not exist .* no mesh "shopp"`, "apply", "-auto-approve", "-refresh=false")

		other := kuma.Resource{Type: "Mesh", Name: "shop2"}
		providertest.Put(t, client, other)
		use(moved(`"shop2"`, "a"))
		c.Must(t, "plan", "-out=plan")
		testworld.NoError(t, client.Delete(t.Context(), kinds.Mesh, "", "shop2"))
		refused(`was not deleted, because its replacement cannot be created: the control plane has no mesh "shop2" any more`, "apply", "plan")

		use(moved("kuma_mesh.shop.name", "b"))
		c.Must(t, "plan", "-out=plan")
		b := before
		b.Name = "b"
		providertest.Put(t, client, b)
		refused(`was not deleted, because its replacement cannot be created: MeshTimeout "b" of mesh "shop" already exists`, "apply", "plan")
		testworld.NoError(t, client.Delete(t.Context(), kinds.MeshTimeout, "shop", "b"))

		use(moved("kuma_mesh.new.name", "a") + "resource \"kuma_mesh\" \"new\" {\n  name = \"shop2\"\n}\n")
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)
		c.Must(t, "destroy", "-auto-approve")
	})
}

// TestReplacedMesh checks that the apply warns that the resources of a replaced mesh
// are deleted.
func TestReplacedMesh(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t)
	mesh := strings.Replace(providertest.SharedMesh, "{", "{\n  force_destroy = true", 1)
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + mesh + forms["typed"].block("a", "a", "", "")})
	c.Must(t, "apply", "-auto-approve")
	if out := c.Must(t, "apply", "-auto-approve", "-replace=kuma_mesh.shop"); !strings.Contains(out, "Replacement deleted the mesh's resources") {
		t.Errorf("there is no warning:\n%s", out)
	}
	c.Must(t, "apply", "-auto-approve")
	c.PlanIsEmpty(t)
	wantStored(t, cp.Client, "a")
}

// TestNamesThatShift checks a change in which the first of two resources takes over
// the name of the second.
func TestNamesThatShift(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config + f.block("x", "a", "", "") + f.block("y", "b", "", "")})
		c.Must(t, "apply", "-auto-approve")
		c.Apply(t, config+f.block("x", "b", "", "")+f.block("y", "c", "", ""))
		c.PlanIsEmpty(t)
		wantStored(t, client, "b", "c")

		// A new block takes over the name that another one releases.
		c.Apply(t, config+f.block("x", "b", "", "")+f.block("y", "d", "", "")+f.block("z", "c", "", ""))
		c.PlanIsEmpty(t)
		wantStored(t, client, "b", "c", "d")
	})
}

// TestListThatShifts checks a change that removes the first element of a list, so that
// all others move up.
func TestListThatShifts(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		const n = 40
		list := func(from int) string {
			var names []string
			for i := from; i < n; i++ {
				names = append(names, fmt.Sprintf("%q", fmt.Sprintf("t-%d", i)))
			}
			return "locals {\n  names = [" + strings.Join(names, ", ") + "]\n}\n"
		}
		block := config + f.block("list", "local.names[count.index]", "", "count = length(local.names)")
		c := providertest.NewCLI(t, map[string]string{"main.tf": block + list(0)})
		c.Must(t, "apply", "-auto-approve")
		c.Apply(t, block+list(1))
		c.PlanIsEmpty(t)
		for i := 1; i < n; i++ {
			wantStored(t, client, fmt.Sprintf("t-%d", i))
		}
		c.Apply(t, block+list(0))
		c.PlanIsEmpty(t)
	})
}

// TestLostAnswerIsNotStuck checks that the next apply replaces the tainted resource of
// a creation whose response was lost.
func TestLostAnswerIsNotStuck(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for name, f := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, config := providertest.StartCounted(t)
			config = strings.Replace(config, "provider \"kuma\" {\n", "provider \"kuma\" {\n  max_retries = 0\n", 1) + providertest.SharedMesh
			var down atomic.Bool
			server.Disturb = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "meshtimeouts") && down.CompareAndSwap(false, true) {
					server.Server.ServeHTTP(httptest.NewRecorder(), r)
				}
				if down.Load() {
					reset(w)
				}
				return down.Load()
			}
			c := providertest.NewCLI(t, map[string]string{"main.tf": config + f.block("a", "a", "", "")})
			c.Refused(t, "may or may not have been applied", "apply", "-auto-approve")
			server.Disturb = nil
			c.Must(t, "plan")
			c.Must(t, "apply", "-auto-approve")
			c.PlanIsEmpty(t)
			wantStored(t, providertest.ClientOf(t, server.Server), "a")
			c.Must(t, "destroy", "-auto-approve")
		})
	}
}

// TestOneNameTwice checks that the messages explain why a resource already exists, and
// what to do.
func TestOneNameTwice(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		twice := config + f.block("x", "a", "", "") + f.block("y", "a", "", "")
		c := providertest.NewCLI(t, map[string]string{"main.tf": twice})
		c.Refused(t, `Duplicate resource .* MeshTimeout "a" of mesh "shop"`, "plan")
		if _, ok := storedTimeout(t, client, "a"); ok {
			t.Error("a plan that was refused wrote something")
		}

		c.Apply(t, config+f.block("x", "a", "", ""))
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), twice)
		c.Refused(t, `Duplicate resource .*terraform destroy -refresh=false`, "plan")

		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+f.block("y", "a", "", ""))
		c.Refused(t, `without a moved block .* moved \{ from = `+f.typeName+`\.OLD_NAME to = `+f.typeName+`\.NEW_NAME \}`, "plan")
		other := forms[map[string]string{"kuma_mesh_timeout": "manifest", "kuma_manifest": "typed"}[f.typeName]]
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+other.block("y", "a", "", ""))
		c.Refused(t, `Resource type changed .* removed \{ from = `+f.typeName+`\.OLD_NAME .* to = `+other.typeName+`\.NEW_NAME`, "plan")
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+f.block("y", "a", "", ""))
		moved := fmt.Sprintf("moved {\n  from = %s.x\n  to   = %s.y\n}\n", f.typeName, f.typeName)
		c.Apply(t, config+f.block("y", "a", "", "")+moved)
		c.PlanIsEmpty(t)

		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), twice)
		c.Must(t, "destroy", "-auto-approve", "-refresh=false")
		if _, ok := storedTimeout(t, client, "a"); ok {
			t.Error("the resource is still there after the destroy")
		}
	})
}

// TestRenamedAndImportedIsNotDestroyed checks that the plan is refused if a block is
// renamed and the resource is imported at the new address: Terraform would import it,
// and then destroy it at the old address.
func TestRenamedAndImportedIsNotDestroyed(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config + f.block("x", "a", "", "")})
		c.Must(t, "apply", "-auto-approve")
		for typeName, to := range forms {
			imports := fmt.Sprintf("import {\n  to = %s.y\n  id = %q\n}\n", to.typeName, to.importID("a"))
			for _, existing := range []string{"refuse", "adopt"} {
				for _, old := range []string{"", f.block("x", "b", "", "")} {
					providertest.Write(t, filepath.Join(c.Dir, "main.tf"), withExisting(config, existing)+old+to.block("y", "a", "", "")+imports)
					c.Refused(t, `would destroy an imported resource .* removed \{ from = `+f.typeName+`\.OLD_NAME`, "plan")
				}
			}
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+to.block("y", "a", "", "")+imports+f.forget("x"))
			if out := c.Must(t, "plan", "-out=plan"); !strings.Contains(out, "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.") {
				t.Errorf("the plan with a removed block, to %s:\n%s", typeName, out)
			}
		}
		c.Must(t, "apply", "plan")
		wantStored(t, client, "a")
	})
}

// TestForeignResource checks that the message about a resource of another client ends
// with its import block.
func TestForeignResource(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config})
		c.ExpectTimeout()
		c.Must(t, "apply", "-auto-approve")
		putTimeout(t, client, "5s")
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+f.block("a", "a", "", ""))
		c.Refused(t, fmt.Sprintf(`already exists .* # ADDRESS is the address of the resource, as shown after "with" above. import \{ to = ADDRESS id = %q \}$`, f.importID("a")), "plan")
		imports := fmt.Sprintf("import {\n  to = %s.a\n  id = %q\n}\n", f.typeName, f.importID("a"))
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+f.block("a", "a", "", "")+imports)
		if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
			t.Errorf("the import changes something:\n%s", out)
		}
	})
}

// putTimeout writes the MeshTimeout "a" as another client.
func putTimeout(t *testing.T, client *controlplane.Client, timeout string) {
	t.Helper()
	r := kuma.Resource{Type: "MeshTimeout", Mesh: "shop", Name: "a", Body: map[string]any{"spec": map[string]any{
		"to": []any{map[string]any{"targetRef": map[string]any{"kind": "Mesh"}, "default": map[string]any{"connectionTimeout": timeout}}},
	}}}
	providertest.Put(t, client, r)
}

// TestImportKeepsImmutableLabels checks that a configuration need not repeat the
// labels that the control plane computes, or that are immutable.
func TestImportKeepsImmutableLabels(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config})
		c.Must(t, "apply", "-auto-approve")
		putTimeout(t, client, "5s")
		r, _ := storedTimeout(t, client, "a")
		r.Labels[kuma.LabelDisplayName] = "other"
		providertest.Put(t, client, r)
		imports := fmt.Sprintf("import {\n  to = %s.a\n  id = %q\n}\n", f.typeName, f.importID("a"))
		kept := `"kuma.io/display-name" = "other"`
		if origin := r.Labels[kuma.LabelOrigin]; origin != "" { // a global control plane adds none
			kept += fmt.Sprintf(", %q = %q", kuma.LabelOrigin, origin)
		}
		for _, labels := range []string{"", `"kuma.io/mesh" = "shop"`, kept} {
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+f.block("a", "a", labels, "")+imports)
			changed := 0
			if labels == kept && f.typeName != "kuma_manifest" {
				changed = 1 // of the state: references of other resources use the display name
			}
			want := fmt.Sprintf("1 imported, 0 added, %d changed, 0 destroyed", changed)
			if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, want) {
				t.Errorf("the import with labels {%s} does not say %s:\n%s", labels, want, out)
			}
			c.PlanIsEmpty(t)
			c.Must(t, "state", "rm", f.typeName+".a")
		}
		c.Apply(t, config+f.block("a", "a", `team = "web"`, "")+imports)
		c.PlanIsEmpty(t)
		if after, _ := storedTimeout(t, client, "a"); after.Labels["team"] != "web" || after.Labels[kuma.LabelDisplayName] != "other" || !after.CreationTime.Equal(r.CreationTime) {
			t.Errorf("the update stored labels %v at %s, want the display name kept and no replacement", after.Labels, after.CreationTime)
		}
	}, providertest.BeforeKuma3)
}

// TestReferenceToImportedResource checks that a policy still refers to a service by its labels when the
// service is imported, although an import leaves the display name to the control plane.
func TestReferenceToImportedResource(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Since("2.14"))
	config := providertest.RequiredProvider + cp.Config + providertest.SharedMesh + `
resource "kuma_mesh_service" "api" {
  mesh   = kuma_mesh.shop.name
  name   = "api"
  labels = { "kuma.io/display-name" = "api" }
  spec {
    selector {
      dataplane_labels {
        match_labels = { app = "api" }
      }
    }
    ports {
      port        = 80
      target_port = 8080
    }
  }
}
resource "kuma_mesh_timeout" "api" {
  mesh = kuma_mesh.shop.name
  name = "api"
  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.api.labels
      }
      default {
        idle_timeout = "7s"
      }
    }
  }
}
`
	c := providertest.NewCLI(t, map[string]string{"main.tf": config})
	c.Must(t, "apply", "-auto-approve")
	c.Must(t, "state", "rm", "kuma_mesh_service.api")
	c.Must(t, "import", "kuma_mesh_service.api", "shop/api")
	if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "0 added, 1 changed, 0 destroyed") {
		t.Errorf("after the import:\n%s", out)
	}
	c.PlanIsEmpty(t)
	c.DestroysAll(t, cp)
}
