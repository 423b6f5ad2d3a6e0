package provider_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
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
var servers = map[string]func(t *testing.T, needs []requirement) (client *controlplane.Client, config string){
	"embedded": func(t *testing.T, needs []requirement) (*controlplane.Client, string) {
		t.Helper()
		cp := newTestControlPlane(t, needs...)
		return cp.client, requiredProvider + cp.config
	},
	"remote": func(t *testing.T, _ []requirement) (*controlplane.Client, string) {
		t.Helper()
		server, config := startCounted(t)
		return clientOf(t, server), config
	},
}

func clientOf(t *testing.T, server *counted) *controlplane.Client {
	t.Helper()
	client, err := controlplane.New(controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// setup is the argument of a test of both forms on both control planes.
type setup struct {
	*testing.T
	form
	client *controlplane.Client
	config string
}

// onAll runs a test for both forms on both control planes: in all four combinations with
// NIGHTLY=1, otherwise in two.
func onAll(t *testing.T, test func(setup), needs ...requirement) {
	t.Helper()
	needCLI(t)
	for server, start := range servers {
		for name, f := range forms {
			if !testworld.Nightly() && (server == "embedded") != (name == "typed") {
				continue
			}
			t.Run(server+"/"+name, func(t *testing.T) {
				t.Parallel()
				client, config := start(t, needs)
				test(setup{t, f, client, config + sharedMesh})
			})
		}
	}
}

// storedTimeout returns a MeshTimeout of the mesh "shop".
func storedTimeout(t *testing.T, client *controlplane.Client, name string) (kuma.Resource, bool) {
	t.Helper()
	r, err := client.Get(context.Background(), kinds.MeshTimeout, "shop", name)
	var notFound *controlplane.NotFoundError
	if err != nil && !errors.As(err, &notFound) {
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

// planIsEmpty checks that there is nothing left to do.
func (c cli) planIsEmpty(t *testing.T) {
	t.Helper()
	if out, code := c.run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the next plan is not empty:\n%s", out)
	}
}

// refused runs a command that must fail with a message, regardless of line
// breaks and frames.
func (c cli) refused(t *testing.T, want string, args ...string) {
	t.Helper()
	out, code := c.run(t, args...)
	if code == 0 || !regexp.MustCompile(want).MatchString(strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(out)), " ")) {
		t.Errorf("terraform %v: exit code %d, want an error like %s:\n%s", args, code, want, out)
	}
}

// TestReplacementIsNotRefusedAsExisting checks the second half of a replacement, which
// Terraform plans without a prior state, like a creation.
func TestReplacementIsNotRefusedAsExisting(t *testing.T) {
	t.Parallel()
	onAll(t, func(s setup) {
		t, f, client, config := s.T, s.form, s.client, s.config
		address := f.typeName + ".a"
		main := func(blocks ...string) string { return config + strings.Join(blocks, "") }
		c := newCLI(t, map[string]string{"main.tf": main(f.block("a", "a", "", ""))})
		c.must(t, "apply", "-auto-approve")
		before, _ := storedTimeout(t, client, "a")

		c.must(t, "apply", "-auto-approve", "-replace="+address)
		c.must(t, "apply", "-auto-approve", "-refresh=false", "-replace="+address)
		if after, ok := storedTimeout(t, client, "a"); !ok || !after.CreationTime.After(before.CreationTime) {
			t.Errorf("the resource was not replaced: it was created at %s, before at %s", after.CreationTime, before.CreationTime)
		}
		c.must(t, "taint", address)
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)

		trigger := "resource \"terraform_data\" \"trigger\" {\n  input = %q\n}\n"
		triggered := f.block("a", "a", "", "lifecycle {\n    replace_triggered_by = [terraform_data.trigger]\n  }")
		write(t, filepath.Join(c.dir, "main.tf"), main(triggered, fmt.Sprintf(trigger, "1")))
		c.must(t, "apply", "-auto-approve")
		write(t, filepath.Join(c.dir, "main.tf"), main(triggered, fmt.Sprintf(trigger, "2")))
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)

		c.must(t, "taint", address)
		c.must(t, "destroy", "-auto-approve")
		if _, ok := storedTimeout(t, client, "a"); ok {
			t.Error("a tainted resource is still there after the destroy")
		}
	})
}

// TestFailedProvisionerIsNotStuck checks that a resource is replaced after its
// provisioner failed, which taints it.
func TestFailedProvisionerIsNotStuck(t *testing.T) {
	t.Parallel()
	onAll(t, func(s setup) {
		t, f, client, config := s.T, s.form, s.client, s.config
		c := newCLI(t, map[string]string{"main.tf": config + f.block("a", "a", "", "provisioner \"local-exec\" {\n    command = \"test -e ready\"\n  }")})
		c.refused(t, "exit status 1", "apply", "-auto-approve")
		write(t, filepath.Join(c.dir, "ready"), "")
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)
		wantStored(t, client, "a")
	})
}

// TestDisplayNameIsReplaced checks that a change of the label, which is immutable,
// replaces the resource.
func TestDisplayNameIsReplaced(t *testing.T) {
	t.Parallel()
	onAll(t, func(s setup) {
		t, f, client, config := s.T, s.form, s.client, s.config
		c := newCLI(t, nil)
		for _, label := range []string{"first", "second", ""} {
			labels := ""
			if label != "" {
				labels = fmt.Sprintf(`"kuma.io/display-name" = %q`, label)
			}
			write(t, filepath.Join(c.dir, "main.tf"), config+f.block("a", "a", labels, ""))
			c.must(t, "apply", "-auto-approve")
			c.planIsEmpty(t)
			if r, _ := storedTimeout(t, client, "a"); r.Labels[kuma.LabelDisplayName] != label {
				t.Errorf("stored with display name %q, want %q", r.Labels[kuma.LabelDisplayName], label)
			}
		}
	}, beforeKuma3)
}

// TestReplacedMesh checks that the apply warns that the resources of a replaced mesh
// are deleted.
func TestReplacedMesh(t *testing.T) {
	t.Parallel()
	needCLI(t)
	cp := newTestControlPlane(t)
	mesh := strings.Replace(sharedMesh, "{", "{\n  force_destroy = true", 1)
	c := newCLI(t, map[string]string{"main.tf": requiredProvider + cp.config + mesh + forms["typed"].block("a", "a", "", "")})
	c.must(t, "apply", "-auto-approve")
	if out := c.must(t, "apply", "-auto-approve", "-replace=kuma_mesh.shop"); !strings.Contains(out, "Replacement deleted the mesh's resources") {
		t.Errorf("there is no warning:\n%s", out)
	}
	c.must(t, "apply", "-auto-approve")
	c.planIsEmpty(t)
	wantStored(t, cp.client, "a")
}

// TestNamesThatShift checks a change in which the first of two resources takes over
// the name of the second.
func TestNamesThatShift(t *testing.T) {
	t.Parallel()
	onAll(t, func(s setup) {
		t, f, client, config := s.T, s.form, s.client, s.config
		c := newCLI(t, map[string]string{"main.tf": config + f.block("x", "a", "", "") + f.block("y", "b", "", "")})
		c.must(t, "apply", "-auto-approve")
		write(t, filepath.Join(c.dir, "main.tf"), config+f.block("x", "b", "", "")+f.block("y", "c", "", ""))
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)
		wantStored(t, client, "b", "c")

		// A new block takes over the name that another one releases.
		write(t, filepath.Join(c.dir, "main.tf"), config+f.block("x", "b", "", "")+f.block("y", "d", "", "")+f.block("z", "c", "", ""))
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)
		wantStored(t, client, "b", "c", "d")
	})
}

// TestListThatShifts checks a change that removes the first element of a list, so that
// all others move up.
func TestListThatShifts(t *testing.T) {
	t.Parallel()
	onAll(t, func(s setup) {
		t, f, client, config := s.T, s.form, s.client, s.config
		const n = 40
		list := func(from int) string {
			var names []string
			for i := from; i < n; i++ {
				names = append(names, fmt.Sprintf("%q", fmt.Sprintf("t-%d", i)))
			}
			return "locals {\n  names = [" + strings.Join(names, ", ") + "]\n}\n"
		}
		block := config + f.block("list", "local.names[count.index]", "", "count = length(local.names)")
		c := newCLI(t, map[string]string{"main.tf": block + list(0)})
		c.must(t, "apply", "-auto-approve")
		write(t, filepath.Join(c.dir, "main.tf"), block+list(1))
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)
		for i := 1; i < n; i++ {
			wantStored(t, client, fmt.Sprintf("t-%d", i))
		}
		write(t, filepath.Join(c.dir, "main.tf"), block+list(0))
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)
	})
}

// TestLostAnswerIsNotStuck checks that the next apply replaces the tainted resource of
// a creation whose response was lost.
func TestLostAnswerIsNotStuck(t *testing.T) {
	t.Parallel()
	needCLI(t)
	for name, f := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, config := startCounted(t)
			config = strings.Replace(config, "provider \"kuma\" {\n", "provider \"kuma\" {\n  max_retries = 0\n", 1) + sharedMesh
			var down atomic.Bool
			server.disturb = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "meshtimeouts") && down.CompareAndSwap(false, true) {
					server.Server.ServeHTTP(httptest.NewRecorder(), r)
				}
				if down.Load() {
					reset(w)
				}
				return down.Load()
			}
			c := newCLI(t, map[string]string{"main.tf": config + f.block("a", "a", "", "")})
			c.refused(t, "may or may not have been applied", "apply", "-auto-approve")
			server.disturb = nil
			c.must(t, "plan")
			c.must(t, "apply", "-auto-approve")
			c.planIsEmpty(t)
			wantStored(t, clientOf(t, server), "a")
			c.must(t, "destroy", "-auto-approve")
		})
	}
}

// TestOneNameTwice checks that the messages explain why a resource already exists, and
// what to do.
func TestOneNameTwice(t *testing.T) {
	t.Parallel()
	onAll(t, func(s setup) {
		t, f, client, config := s.T, s.form, s.client, s.config
		twice := config + f.block("x", "a", "", "") + f.block("y", "a", "", "")
		c := newCLI(t, map[string]string{"main.tf": twice})
		c.refused(t, `Duplicate resource .* MeshTimeout "a" of mesh "shop"`, "plan")
		if _, ok := storedTimeout(t, client, "a"); ok {
			t.Error("a plan that was refused wrote something")
		}

		write(t, filepath.Join(c.dir, "main.tf"), config+f.block("x", "a", "", ""))
		c.must(t, "apply", "-auto-approve")
		write(t, filepath.Join(c.dir, "main.tf"), twice)
		c.refused(t, `Duplicate resource .*terraform destroy -refresh=false`, "plan")

		write(t, filepath.Join(c.dir, "main.tf"), config+f.block("y", "a", "", ""))
		c.refused(t, `without a moved block .* moved \{ from = `+f.typeName+`\.OLD_NAME to = `+f.typeName+`\.NEW_NAME \}`, "plan")
		other := forms[map[string]string{"kuma_mesh_timeout": "manifest", "kuma_manifest": "typed"}[f.typeName]]
		write(t, filepath.Join(c.dir, "main.tf"), config+other.block("y", "a", "", ""))
		c.refused(t, `Resource type changed .* removed \{ from = `+f.typeName+`\.OLD_NAME .* to = `+other.typeName+`\.NEW_NAME`, "plan")
		write(t, filepath.Join(c.dir, "main.tf"), config+f.block("y", "a", "", ""))
		moved := fmt.Sprintf("moved {\n  from = %s.x\n  to   = %s.y\n}\n", f.typeName, f.typeName)
		write(t, filepath.Join(c.dir, "main.tf"), config+f.block("y", "a", "", "")+moved)
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)

		write(t, filepath.Join(c.dir, "main.tf"), twice)
		c.must(t, "destroy", "-auto-approve", "-refresh=false")
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
	onAll(t, func(s setup) {
		t, f, client, config := s.T, s.form, s.client, s.config
		c := newCLI(t, map[string]string{"main.tf": config + f.block("x", "a", "", "")})
		c.must(t, "apply", "-auto-approve")
		for typeName, to := range forms {
			imports := fmt.Sprintf("import {\n  to = %s.y\n  id = %q\n}\n", to.typeName, to.importID("a"))
			for _, existing := range []string{"refuse", "adopt"} {
				for _, old := range []string{"", f.block("x", "b", "", "")} {
					write(t, filepath.Join(c.dir, "main.tf"), withExisting(config, existing)+old+to.block("y", "a", "", "")+imports)
					c.refused(t, `would destroy an imported resource .* removed \{ from = `+f.typeName+`\.OLD_NAME`, "plan")
				}
			}
			write(t, filepath.Join(c.dir, "main.tf"), config+to.block("y", "a", "", "")+imports+f.forget("x"))
			if out := c.must(t, "plan", "-out=plan"); !strings.Contains(out, "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.") {
				t.Errorf("the plan with a removed block, to %s:\n%s", typeName, out)
			}
		}
		c.must(t, "apply", "plan")
		wantStored(t, client, "a")
	})
}

// TestForeignResource checks that the message about a resource of another client ends
// with its import block.
func TestForeignResource(t *testing.T) {
	t.Parallel()
	onAll(t, func(s setup) {
		t, f, client, config := s.T, s.form, s.client, s.config
		c := newCLI(t, map[string]string{"main.tf": config})
		c.expectTimeout()
		c.must(t, "apply", "-auto-approve")
		putTimeout(t, client, "5s")
		write(t, filepath.Join(c.dir, "main.tf"), config+f.block("a", "a", "", ""))
		c.refused(t, fmt.Sprintf(`already exists .* # ADDRESS is the address of the resource, as shown after "with" above. import \{ to = ADDRESS id = %q \}$`, f.importID("a")), "plan")
		imports := fmt.Sprintf("import {\n  to = %s.a\n  id = %q\n}\n", f.typeName, f.importID("a"))
		write(t, filepath.Join(c.dir, "main.tf"), config+f.block("a", "a", "", "")+imports)
		if out := c.must(t, "apply", "-auto-approve"); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
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
	if _, _, err := client.Put(context.Background(), kinds.MeshTimeout, r); err != nil {
		t.Fatal(err)
	}
}

// TestImportKeepsImmutableLabels checks that a configuration need not repeat the
// labels that the control plane computes, or that are immutable.
func TestImportKeepsImmutableLabels(t *testing.T) {
	t.Parallel()
	onAll(t, func(s setup) {
		t, f, client, config := s.T, s.form, s.client, s.config
		c := newCLI(t, map[string]string{"main.tf": config})
		c.must(t, "apply", "-auto-approve")
		putTimeout(t, client, "5s")
		r, _ := storedTimeout(t, client, "a")
		r.Labels[kuma.LabelDisplayName] = "other"
		if _, _, err := client.Put(context.Background(), kinds.MeshTimeout, r); err != nil {
			t.Fatal(err)
		}
		imports := fmt.Sprintf("import {\n  to = %s.a\n  id = %q\n}\n", f.typeName, f.importID("a"))
		kept := `"kuma.io/display-name" = "other"`
		if origin := r.Labels[kuma.LabelOrigin]; origin != "" { // a global control plane adds none
			kept += fmt.Sprintf(", %q = %q", kuma.LabelOrigin, origin)
		}
		for _, labels := range []string{"", `"kuma.io/mesh" = "shop"`, kept} {
			write(t, filepath.Join(c.dir, "main.tf"), config+f.block("a", "a", labels, "")+imports)
			if out := c.must(t, "apply", "-auto-approve"); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
				t.Errorf("with labels {%s} the import changes something:\n%s", labels, out)
			}
			c.planIsEmpty(t)
			c.must(t, "state", "rm", f.typeName+".a")
		}
		write(t, filepath.Join(c.dir, "main.tf"), config+f.block("a", "a", `team = "web"`, "")+imports)
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)
		if after, _ := storedTimeout(t, client, "a"); after.Labels["team"] != "web" || after.Labels[kuma.LabelDisplayName] != "other" || !after.CreationTime.Equal(r.CreationTime) {
			t.Errorf("the update stored labels %v at %s, want the display name kept and no replacement", after.Labels, after.CreationTime)
		}
	}, beforeKuma3)
}
