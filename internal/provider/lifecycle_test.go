package provider_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// TestLifecycle takes a resource of every kind through its life. The directory
// testdata/lifecycle/<kind> holds create.tf, the same in another spelling,
// update.tf, and the document that somebody else writes over it.
func TestLifecycle(t *testing.T) {
	needCLI(t)
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			if os.Getenv("KUMA_ENDPOINT") == "" {
				t.Parallel() // a real control plane has one mesh for all
			}
			lifecycle(t, k)
		})
	}
}

func lifecycle(t *testing.T, k spec.Kind) {
	t.Helper()
	s := newStore(t)
	typeName := provider.TypeName(k.Name)
	address := typeName + ".test"
	dir := filepath.Join("testdata", "lifecycle", strings.TrimPrefix(typeName, "kuma_"))
	config := func(file string) string { return s.config + read(t, filepath.Join(dir, file)) }
	drift := document(t, filepath.Join(dir, "drift.yaml"))
	id := drift.Name
	if drift.Mesh != "" {
		id = drift.Mesh + "/" + drift.Name
	}
	action := func(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(address, a),
			allKnown{},
		}}
	}
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	stored := func() mesh.Resource {
		r, err := s.client.Get(context.Background(), k, drift.Mesh, drift.Name)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var theKRI knownvalue.Check = knownvalue.StringFunc(func(kri string) error {
		if want := k.KRI(stored()); kri != want {
			return fmt.Errorf("got %s, the control plane says %s", kri, want)
		}
		return nil
	})
	if k.ShortName == "" {
		theKRI = knownvalue.Null()
	}
	var before mesh.Resource
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy: func(*terraform.State) error {
			if s.dir != "" {
				return s.isEmpty()
			}
			return gone(s.client, k, drift)
		},
		Steps: []resource.TestStep{
			{
				Config: config("create.tf"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("type"), knownvalue.StringExact(k.Name)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("kri"), theKRI),
				},
			},
			{Config: config("create.tf"), ConfigPlanChecks: empty},
			{
				Config: config("respelled.tf"), ConfigPlanChecks: empty,
				PreConfig: func() { before = stored() },
			},
			{
				Config: config("update.tf"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
				PreConfig: func() {
					if now := stored(); !now.ModificationTime.Equal(before.ModificationTime) {
						t.Errorf("another spelling was written to the control plane")
					}
				},
			},
			{
				Config: config("update.tf"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
				PreConfig: func() {
					before = stored()
					if _, _, err := s.client.Put(context.Background(), k, drift); err != nil {
						t.Fatal(err)
					}
				},
				Check: func(*terraform.State) error {
					if now := stored(); !mesh.Equal(now.Document(), before.Document()) {
						return fmt.Errorf("the change by somebody else was not repaired: %v, want %v", now, before)
					}
					return nil
				},
			},
			{
				Config: config("update.tf"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				PreConfig: func() {
					if err := s.client.Delete(context.Background(), k, drift.Mesh, drift.Name); err != nil {
						t.Fatal(err)
					}
				},
			},
			{
				ResourceName: address, ImportState: true, ImportStateId: id,
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
			{
				Config: config("update.tf") + dataSource(k, address), ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data."+address, tfjsonpath.New("kri"), theKRI),
				},
			},
		},
	})
}

func dataSource(k spec.Kind, address string) string {
	arguments := fmt.Sprintf("  name = %s.name\n", address)
	if k.Scope == spec.InMesh {
		arguments += fmt.Sprintf("  mesh = %s.mesh\n", address)
	}
	return fmt.Sprintf("data %q \"test\" {\n%s}\n", provider.TypeName(k.Name), arguments)
}

func document(t *testing.T, file string) mesh.Resource {
	t.Helper()
	docs, err := mesh.DecodeYAML([]byte(read(t, file)))
	if err != nil || len(docs) != 1 {
		t.Fatalf("%s: %v", file, err)
	}
	r, err := mesh.FromDocument(docs[0], kinds.Form)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// gone reports what is left of a resource: itself, or the mesh that it was in.
func gone(client *controlplane.Client, k spec.Kind, r mesh.Resource) error {
	name := r.Name
	if k.Scope == spec.InMesh {
		k, name = kinds.Mesh, r.Mesh
	}
	_, err := client.Get(context.Background(), k, "", name)
	var notFound *controlplane.NotFoundError
	switch {
	case errors.As(err, &notFound):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s %q is still there", k.Name, name)
}

// allKnown checks that nothing of a plan is known only after the apply.
type allKnown struct{}

func (allKnown) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, change := range req.Plan.ResourceChanges {
		if path := unknown(change.Change.AfterUnknown, change.Address); path != "" {
			resp.Error = errors.Join(resp.Error, fmt.Errorf("%s is known only after the apply", path))
		}
	}
}

// unknown returns the path of something that is marked as unknown.
func unknown(v any, at string) string {
	switch v := v.(type) {
	case bool:
		if v {
			return at
		}
	case map[string]any:
		for k, e := range v {
			if p := unknown(e, at+"."+k); p != "" {
				return p
			}
		}
	case []any:
		for i, e := range v {
			if p := unknown(e, fmt.Sprintf("%s[%d]", at, i)); p != "" {
				return p
			}
		}
	}
	return ""
}
