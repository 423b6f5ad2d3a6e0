package managed_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// ownMesh is a mesh with its initial policies, and policies that refer to it by a reference
// and by its name.
func ownMesh(name, arguments string) string {
	byName := forms["typed"].block("literal", "literal", "", "depends_on = [kuma_mesh.shop]")
	return fmt.Sprintf("resource \"kuma_mesh\" \"shop\" {\n  name = %q\n  %s\n}\n", name, arguments) + forms["typed"].block("reference", "reference", "", "") +
		strings.Replace(byName, "kuma_mesh.shop.name", strconv.Quote(name), 1)
}

// contentsTest is a mesh of this configuration in which another client has resources.
type contentsTest struct {
	*testing.T
	providertest.CLI
	cp providertest.ControlPlane
}

func newContentsTest(t *testing.T, config string, others ...string) contentsTest {
	t.Helper()
	cp := providertest.NewControlPlane(t, providertest.Writes(kinds.Dataplane))
	c := contentsTest{t, providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + config}), cp}
	c.Must(t, "apply", "-auto-approve")
	for _, text := range others {
		c.put(text)
	}
	return c
}

// put writes a resource as another client.
func (c contentsTest) put(text string) {
	c.Helper()
	c.cp.Put(c.T, testworld.Resource(c.T, text))
}

func (c contentsTest) configure(config string) {
	providertest.Write(c.T, filepath.Join(c.Dir, "main.tf"), providertest.RequiredProvider+c.cp.Config+config)
}

// warns runs a command that must succeed with a warning.
func (c contentsTest) warns(want string, args ...string) {
	c.Helper()
	if out := c.Must(c.T, args...); !strings.Contains(providertest.Unwrapped(out), want) {
		c.Errorf("terraform %v: want %q in\n%s", args, want, out)
	}
}

// refuses runs a command that must fail with a message, and checks that the mesh and the
// resource of the other client are still there.
func (c contentsTest) refuses(want string, args ...string) {
	c.Helper()
	out, code := c.CLI.Run(c.T, args...)
	said := strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(out)), " ")
	if code == 0 || !strings.Contains(said, want) {
		c.Errorf("terraform %v: exit code %d, want %q in\n%s", args, code, want, out)
	}
	for _, key := range []kuma.Key{{Type: "Mesh", Name: "shop"}, othersKey} {
		if _, err := c.cp.Client.Get(c.Context(), c.cp.Kind(key.Type), key.Mesh, key.Name); err != nil {
			c.Errorf("terraform %v: %v", args, err)
		}
	}
}

var othersKey = kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "others"}

const (
	others          = "{type: MeshTimeout, mesh: shop, name: others, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1h}}]}}"
	othersSecret    = "{type: Secret, mesh: shop, name: others, data: YQ==}"
	othersDataplane = "{type: Dataplane, mesh: shop, name: others, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}"
	namesOthers     = `this run has not destroyed MeshTimeout "others".`
	planNamesOthers = `no destroy is planned so far of MeshTimeout "others".`
)

// TestDestroyOfMeshWithOthersResources checks that the plan of a destroy reports the
// resources of others in a mesh, and nothing else.
func TestDestroyOfMeshWithOthersResources(t *testing.T) {
	t.Parallel()
	manifest := "resource \"kuma_manifest\" \"m\" {\n  manifest = { type = \"Mesh\", name = \"shop\" }\n}\n"
	for name, config := range map[string]string{
		"mesh alone":         "resource \"kuma_mesh\" \"m\" {\n  name = \"shop\"\n}\n",
		"mesh with policies": ownMesh("shop", ""),
		"manifest":           manifest,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newContentsTest(t, config, others, othersSecret)
			c.ExpectTimeout()
			c.refuses(namesOthers, "destroy", "-auto-approve")
			c.Must(t, "apply", "-auto-approve")
			c.configure("")
			c.warns(planNamesOthers, "plan")
			testworld.NoError(t, c.cp.Client.Delete(t.Context(), kinds.MeshTimeout, "shop", "others"))
			c.Must(t, "plan") // of removed blocks
			c.configure(config)
			c.Must(t, "plan", "-destroy", "-out=plan")
			c.put(others)
			c.refuses("The mesh was not deleted. The control plane deletes mesh \"shop\" together with everything in it, and "+namesOthers, "apply", "plan")
		})
	}
}

// TestMeshTakesNothingThatThePlanKeeps checks that no run deletes a mesh with a policy that
// the configuration keeps or forgets, in whatever order Terraform plans them.
func TestMeshTakesNothingThatThePlanKeeps(t *testing.T) {
	t.Parallel()
	mesh := "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n"
	for name, f := range forms {
		literal := strings.Replace(f.block("others", "others", "", ""), "kuma_mesh.shop.name", `"shop"`, 1)
		for how, change := range map[string]struct{ config, want string }{
			"forgotten": {f.forget("others"), `MeshTimeout "others"`},
			"kept":      {literal, `MeshTimeout "others"`},
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				c := newContentsTest(t, mesh)
				c.configure(mesh + literal)
				c.Must(t, "apply", "-auto-approve")
				c.configure(change.config)
				c.ExpectTimeout()
				c.refuses(change.want, "plan")
				c.refuses(change.want, "plan", "-refresh=false")
				c.refuses(change.want, "apply", "-auto-approve")
				c.refuses(change.want, "apply", "-auto-approve", "-refresh=false")
				if _, code := c.CLI.Run(t, "plan", "-parallelism=1", "-out=plan"); code == 0 {
					c.refuses(namesOthers, "apply", "plan")
				}
				c.refuses(change.want, "apply", "-auto-approve", "-parallelism=1", "-refresh=false")
			})
		}
	}
}

// TestDestroyInAnyOrder checks that a destroy deletes a mesh together with a policy that does
// not refer to it, whichever is deleted first.
func TestDestroyInAnyOrder(t *testing.T) {
	t.Parallel()
	mesh := "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n"
	literal := strings.Replace(forms["typed"].block("others", "others", "", ""), "kuma_mesh.shop.name", `"shop"`, 1)
	c := newContentsTest(t, mesh)
	for _, last := range [][]string{{"destroy"}, {"destroy", "-refresh=false"}, {"apply"}} {
		c.configure(mesh)
		c.Must(t, "apply", "-auto-approve")
		c.configure(mesh + literal)
		c.Must(t, "apply", "-auto-approve")
		if last[0] == "apply" {
			c.configure("")
		}
		c.Must(t, append(last, "-auto-approve")...)
		if err := c.cp.IsEmpty(); err != nil {
			t.Errorf("terraform %v: %v", last, err)
		}
	}
}

// TestMeshOfAnotherProviderConfiguration checks that a destroy deletes a mesh after the
// policies in it that another provider configuration manages, of which the plan of the mesh
// does not know.
func TestMeshOfAnotherProviderConfiguration(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t)
	team := strings.Replace(cp.Config, "{\n", "{\n  alias = \"team\"\n", 1)
	mesh := "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n"
	c := contentsTest{t, providertest.NewCLI(t, nil), cp}
	c.SeparateProcess(t)
	c.configure(team + mesh + forms["typed"].block("others", "others", "", "provider = kuma.team"))
	c.Must(t, "apply", "-auto-approve")
	c.warns(planNamesOthers, "plan", "-destroy", "-out=plan")
	c.Must(t, "apply", "plan")
	if err := c.cp.IsEmpty(); err != nil {
		t.Error(err)
	}
	c.configure(team + mesh + forms["typed"].block("others", "others", "", "provider = kuma.team"))
	c.Must(t, "apply", "-auto-approve")
	c.configure(team + strings.Replace(mesh, `name = "shop"`, `name = "new"`, 1) + forms["typed"].block("others", "others", "", "provider = kuma.team"))
	c.refuses(`Otherwise create the mesh, or correct the name. A zone gets a mesh of its global control plane within seconds. If another provider configuration creates the mesh, create it in an apply of its own, and then move the resource.`, "plan")
	c.configure(team + strings.Replace(forms["typed"].block("others", "others", "", "provider = kuma.team"), "kuma_mesh.shop.name", `"shop"`, 1))
	c.refuses(namesOthers, "apply", "-auto-approve")
}

// TestChangedContentsOfMesh checks that a mesh does not take along a policy that the plan
// destroys too, but that another client has changed since.
func TestChangedContentsOfMesh(t *testing.T) {
	t.Parallel()
	mesh := "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n"
	literal := strings.Replace(forms["typed"].block("others", "others", "", ""), "kuma_mesh.shop.name", `"shop"`, 1)
	c := newContentsTest(t, mesh)
	c.configure(mesh + literal)
	c.Must(t, "apply", "-auto-approve")
	c.Must(t, "plan", "-destroy", "-out=plan")
	c.put(others)
	c.refuses(namesOthers, "apply", "plan")
}

// TestPlannedInDeletedMesh checks that a plan is rejected that creates a policy in a mesh
// which it deletes, or keeps one in a mesh which it renames.
func TestPlannedInDeletedMesh(t *testing.T) {
	t.Parallel()
	mesh := "resource \"kuma_mesh\" \"shop\" {\n  name = %q\n}\n"
	literal := func(label string) string {
		return strings.Replace(forms["typed"].block(label, label, "", ""), "kuma_mesh.shop.name", `"shop"`, 1)
	}
	c := newContentsTest(t, fmt.Sprintf(mesh, "shop"))
	c.configure(fmt.Sprintf(mesh, "shop") + literal("others"))
	c.Must(t, "apply", "-auto-approve")
	c.ExpectTimeout()
	for _, options := range [][]string{{"plan"}, {"plan", "-parallelism=1"}} {
		c.configure(fmt.Sprintf(mesh, "other") + literal("others"))
		c.refuses(`MeshTimeout "others"`, options...)
		c.configure(literal("added") + forms["typed"].forget("others"))
		c.refuses(`MeshTimeout "added"`, options...)
	}
}

// TestReplacementOfMeshWithOthersResources checks that the plan names the resources in a
// mesh that is renamed, and that the apply keeps a mesh with resources of others.
func TestReplacementOfMeshWithOthersResources(t *testing.T) {
	t.Parallel()
	c := newContentsTest(t, ownMesh("shop", ""))
	c.configure(ownMesh("other", ""))
	c.Must(t, "apply", "-auto-approve")
	c.PlanIsEmpty(t)
	c.configure(ownMesh("shop", ""))
	c.Must(t, "apply", "-auto-approve")

	c.put(others)
	c.configure(ownMesh("other", ""))
	if out := c.Must(t, "plan"); !strings.Contains(out, "Warning: Replaced mesh contains resources") || !strings.Contains(out, `"others"`) {
		t.Errorf("the plan does not warn:\n%s", out)
	}
	c.refuses(namesOthers, "apply", "-auto-approve")
}

// TestForceDestroy checks that force_destroy deletes the resources of others with the mesh,
// but reports their Dataplanes during the plan.
func TestForceDestroy(t *testing.T) {
	t.Parallel()
	c := newContentsTest(t, ownMesh("shop", ""), othersDataplane)
	c.warns(`Mesh "shop" has Dataplanes, and no destroy is planned so far of Dataplane "others". A mesh with Dataplanes cannot`, "plan", "-destroy")
	c.put(others)
	c.configure(ownMesh("shop", "force_destroy = true"))
	c.Must(t, "apply", "-auto-approve")
	c.PlanIsEmpty(t)
	c.warns(`Mesh "shop" has Dataplanes, and no destroy is planned so far of Dataplane "others".`, "plan", "-destroy")
	c.refuses(`Mesh "shop" has Dataplanes, and this run has not destroyed Dataplane "others".`, "destroy", "-auto-approve")
	testworld.NoError(t, c.cp.Client.Delete(t.Context(), kinds.Dataplane, "shop", "others"))
	c.Must(t, "destroy", "-auto-approve")
	if _, err := c.cp.Client.Get(t.Context(), kinds.Mesh, "", "shop"); !store.IsNotFound(err) {
		t.Errorf("the mesh is still there: %v", err)
	}
}

// TestDestroyOfSecretAfterMesh checks that a destroy which deletes a mesh before a Secret
// in it reports that the control plane keeps the Secret.
func TestDestroyOfSecretAfterMesh(t *testing.T) {
	t.Parallel()
	secret := "resource \"kuma_secret\" \"key\" {\n  mesh = \"shop\"\n  name = \"key\"\n  data = \"value\"\n  depends_on = [kuma_mesh.shop]\n}\n"
	mesh := "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n"
	c := newContentsTest(t, mesh+secret)
	c.Must(t, "plan", "-destroy", "-out=plan")
	testworld.NoError(t, c.cp.Client.Delete(t.Context(), kinds.Mesh, "", "shop"))
	out, code := c.CLI.Run(t, "apply", "plan")
	said := strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(out)), " ")
	if want := `Secret "key" of mesh "shop" was not deleted: mesh "shop" was deleted first`; code == 0 || !strings.Contains(said, want) {
		t.Errorf("exit code %d, want %q in\n%s", code, want, out)
	}
	c.put("{type: Mesh, name: shop}")
	c.Must(t, "destroy", "-auto-approve")
	if err := c.cp.IsEmpty(); err != nil {
		t.Error(err)
	}
}

// TestDestroyOfMeshNamesItsSecrets checks that a destroy says which Secrets stay: the signing
// keys among them make tokens of the deleted mesh valid in the next one with its name.
func TestDestroyOfMeshNamesItsSecrets(t *testing.T) {
	t.Parallel()
	mesh := "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n"
	own := "resource \"kuma_secret\" \"own\" {\n  mesh = kuma_mesh.shop.name\n  name = \"own\"\n  data = \"value\"\n}\n"
	c := newContentsTest(t, mesh+own)
	const names = `The control plane keeps Secret "others" of the deleted mesh "shop".`
	if out := c.Must(t, "apply", "-auto-approve", "-replace=kuma_mesh.shop", "-replace=kuma_secret.own"); strings.Contains(out, "outlive") {
		t.Errorf("a replacement that creates the mesh again says\n%s", out)
	}
	if out := c.Must(t, "destroy", "-auto-approve"); strings.Contains(out, "outlive") {
		t.Errorf("without other Secrets, a destroy says\n%s", out)
	}
	c.Must(t, "apply", "-auto-approve")
	c.put(othersSecret)
	c.warns(names, "destroy", "-auto-approve")
	c.put("{type: Mesh, name: shop}")
	if err := c.cp.Client.Delete(t.Context(), c.cp.Kind("Secret"), "shop", "others"); err != nil {
		t.Error(err)
	}
	if err := c.cp.Client.Delete(t.Context(), kinds.Mesh, "", "shop"); err != nil {
		t.Error(err)
	}
}

// TestDestroyOfMeshWithoutRightsToSecrets checks that a client that may not list Secrets, as on a
// control plane with its default configuration, can destroy its mesh: Secrets outlive it.
func TestDestroyOfMeshWithoutRightsToSecrets(t *testing.T) {
	t.Parallel()
	server, err := embedded.New(embedded.Config{Directory: t.TempDir()})
	testworld.NoError(t, err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "secrets") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	run := providertest.NewCLI(t, map[string]string{
		"main.tf": providertest.RequiredProvider + fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", s.URL) + ownMesh("shop", ""),
	})
	run.Must(t, "apply", "-auto-approve")
	run.Must(t, "destroy", "-auto-approve")
}

// TestDestroyOfMissingMesh checks that a mesh that is gone does not fail the destroy.
func TestDestroyOfMissingMesh(t *testing.T) {
	t.Parallel()
	c := newContentsTest(t, ownMesh("shop", ""))
	testworld.NoError(t, c.cp.Client.Delete(t.Context(), kinds.Mesh, "", "shop"))
	c.Must(t, "plan", "-destroy")
	c.Must(t, "destroy", "-auto-approve", "-refresh=false")
}
