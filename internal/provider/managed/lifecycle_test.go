package managed_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// life is what happens to the resource of one kind. The directory
// testdata/lifecycle/<kind> holds create.tf, with another spelling of some
// values in comments, update.tf, and the document that another client writes
// over it. Directories before-<release> and since-<release> in it contain versions
// of these files for releases that do not accept them.
type life struct {
	kind    def.Kind
	address string
	dir     string
	release kuma.Release
	drift   kuma.Resource
	before  kuma.Resource // what was stored before a step
}

// file returns the path of a file for the release of the control plane.
func (l *life) file(t *testing.T, name string) string {
	t.Helper()
	others, err := filepath.Glob(filepath.Join(l.dir, "*-*", name))
	testworld.NoError(t, err)
	for _, file := range others {
		when, release, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "-")
		if l.release.Has(release) == (when == "since") {
			return file
		}
	}
	return filepath.Join(l.dir, name)
}

var inlineSecret = regexp.MustCompile(` inline = | insecure_inline {`)

// secret reports whether the configuration sets a sensitive value.
func (l *life) secret(t *testing.T) bool {
	t.Helper()
	return len(l.kind.SecretFields()) > 0 || l.kind.HoldsSecrets() && inlineSecret.MatchString(testworld.Text(t, l.file(t, "update.tf")))
}

// lives returns those of the kinds that the control plane accepts.
func lives(t *testing.T, cp providertest.ControlPlane) []*life {
	t.Helper()
	var out []*life
	for _, described := range kinds.All() {
		k := cp.Kind(described.Name)
		if why := providertest.Writes(k)(cp); why != "" {
			t.Run(k.Name, func(t *testing.T) { t.Skip(why) })
			continue
		}
		if cp.Dir == "" && k.Name == kinds.Workload.Name {
			t.Run(k.Name, func(t *testing.T) { t.Skip(providertest.ManagesWorkloads) })
			continue
		}
		typeName := tfschema.TypeName(k.Name)
		l := &life{kind: k, address: typeName + ".test", dir: filepath.Join("testdata", "lifecycle", strings.TrimPrefix(typeName, "kuma_")), release: cp.ControlPlane.Release}
		l.drift = testworld.Resource(t, testworld.Text(t, l.file(t, "drift.yaml")))
		out = append(out, l)
	}
	return out
}

// stored returns what the control plane stores.
func (l *life) stored(t *testing.T, cp providertest.ControlPlane) kuma.Resource {
	t.Helper()
	r, err := cp.Client.Get(context.Background(), l.kind, l.drift.Mesh, l.drift.Name)
	testworld.NoError(t, err)
	return r
}

// kri expects the identifier that the control plane has for the resource.
func (l *life) kri(t *testing.T, cp providertest.ControlPlane) knownvalue.Check {
	t.Helper()
	if l.kind.ShortName == "" {
		return knownvalue.Null()
	}
	return knownvalue.StringFunc(func(kri string) error {
		if want := l.kind.KRI(l.stored(t, cp)); kri != want {
			return fmt.Errorf("got %s, the control plane says %s", kri, want)
		}
		return nil
	})
}

// TestLifecycle tests the lifecycle of a resource of every kind, all in one
// configuration, because starting Terraform takes most of the time.
func TestLifecycle(t *testing.T) {
	providertest.NeedCLI(t)
	t.Parallel()
	providertest.OnEachRelease(t, testLifecycle)
}

func testLifecycle(t *testing.T, open providertest.Opener) {
	t.Helper()
	cp := open(t)
	all := lives(t, cp)
	home := cp.Config + "resource \"kuma_mesh\" \"lifecycle\" {\n  name = \"lifecycle\"\n}\n"
	config := func(file string) string {
		text := home
		for _, l := range all {
			text += testworld.Text(t, l.file(t, file))
		}
		return text
	}
	action := func(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
		checks := []plancheck.PlanCheck{allKnown{}}
		for _, l := range all {
			checks = append(checks, plancheck.ExpectResourceAction(l.address, a))
		}
		return resource.ConfigPlanChecks{PreApply: checks}
	}
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	remember := func() {
		for _, l := range all {
			l.before = l.stored(t, cp)
		}
	}
	var created, found []statecheck.StateCheck
	var forget, imports string
	afterImport := []plancheck.PlanCheck{allKnown{}}
	for _, l := range all {
		id := l.drift.Name
		if l.drift.Mesh != "" {
			id = l.drift.Mesh + "/" + l.drift.Name
		}
		forget += fmt.Sprintf("removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", l.address)
		imports += fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", l.address, id)
		created = append(created,
			statecheck.ExpectKnownValue(l.address, tfjsonpath.New("type"), knownvalue.StringExact(l.kind.Name)),
			statecheck.ExpectKnownValue(l.address, tfjsonpath.New("kri"), l.kri(t, cp)))
		if l.secret(t) { // an import reads no secret: an update of the state adds it
			afterImport = append(afterImport, plancheck.ExpectResourceAction(l.address, plancheck.ResourceActionUpdate))
			continue
		}
		afterImport = append(afterImport, plancheck.ExpectResourceAction(l.address, plancheck.ResourceActionNoop))
		imports += dataSource(l.kind, l.address)
		found = append(found, statecheck.ExpectKnownValue("data."+l.address, tfjsonpath.New("kri"), l.kri(t, cp)))
	}
	imported := &sameState{}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		CheckDestroy:             func(*terraform.State) error { return cp.IsEmpty() },
		Steps: []resource.TestStep{
			{Config: config("create.tf"), ConfigPlanChecks: action(plancheck.ResourceActionCreate), ConfigStateChecks: created},
			{Config: respelled(config("create.tf")), ConfigPlanChecks: empty, PreConfig: remember},
			{
				Config: config("update.tf"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
				PreConfig: func() {
					for _, l := range all {
						if cp.Dir == "" && l.kind.Status {
							continue // the control plane writes the status by itself
						}
						if now := l.stored(t, cp); !now.ModificationTime.Equal(l.before.ModificationTime) {
							t.Errorf("%s: another spelling was written to the control plane", l.address)
						}
					}
				},
			},
			{ // another client changes everything
				Config: config("update.tf"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
				PreConfig: func() {
					remember()
					for _, l := range all {
						cp.Put(t, l.drift)
					}
				},
				Check: func(*terraform.State) error {
					for _, l := range all {
						now := l.stored(t, cp)
						if !tree.Equal(l.kind.WithoutServerOwned(now).Document(), l.kind.WithoutServerOwned(l.before).Document()) {
							t.Errorf("%s: the change by another client was not repaired: %v, want %v", l.address, now, l.before)
						}
					}
					return nil
				},
			},
			{ // another client deletes everything
				Config: config("update.tf"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				PreConfig: func() {
					for _, l := range all {
						testworld.NoError(t, cp.Client.Delete(context.Background(), l.kind, l.drift.Mesh, l.drift.Name))
					}
				},
				ConfigStateChecks: []statecheck.StateCheck{imported},
			},
			{Config: home + forget},
			{
				Config: config("update.tf") + imports, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: afterImport},
				ConfigStateChecks: append(found, imported),
			},
		},
	})
	t.Logf("%d kinds", len(all))
}

var otherSpelling = regexp.MustCompile(`(?m)= .* # respelled: (.*)$`)

// respelled returns a configuration with the other spelling of the values that
// have one in a comment.
func respelled(config string) string { return otherSpelling.ReplaceAllString(config, "= $1") }

func dataSource(k def.Kind, address string) string {
	arguments := fmt.Sprintf("  name = %s.name\n", address)
	if k.Scope == def.InMesh {
		arguments += fmt.Sprintf("  mesh = %s.mesh\n", address)
	}
	return fmt.Sprintf("data %q \"test\" {\n%s}\n", tfschema.TypeName(k.Name), arguments)
}

// sameState checks that the resources of a state are those that it saw first.
type sameState struct{ first map[string]any }

func (s *sameState) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	now := map[string]any{}
	for _, r := range req.State.Values.RootModule.Resources {
		if r.Mode != "managed" {
			continue
		}
		values := maps.Clone(r.AttributeValues)
		if labels, ok := values["labels"].(map[string]any); ok && len(labels) == 0 {
			values["labels"] = nil // an import cannot determine it
		}
		now[r.Address] = values
	}
	if s.first == nil {
		s.first = now
	}
	if diff := cmp.Diff(s.first, now); diff != "" {
		resp.Error = fmt.Errorf("the state has changed (-before +now):\n%s", diff)
	}
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
