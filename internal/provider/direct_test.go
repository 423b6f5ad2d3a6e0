package provider

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// TestDirectAnswers compares the responses of the server about all accepted documents
// with those of the framework.
func TestDirectAnswers(t *testing.T) {
	t.Parallel()
	direct := map[string]int{}
	documents, compared := 0, 0
	for _, k := range kinds.All() {
		typeName := tfschema.TypeName(k.Name)
		for _, r := range catalogExamples(t, k) {
			if documents++; !testworld.Runs(documents) {
				continue
			}
			compared++
			meshes := []string{}
			if r.Mesh != "" {
				meshes = append(meshes, r.Mesh)
			}
			// Each plan has its own control plane, which records it.
			ours, theirs := newCore(t, meshes...), newCore(t, meshes...)
			s, framework := ours.server, Framework(theirs.server)
			config := ours.configuration(t, k, r)
			identity, _ := tfschema.Identity(k).Type().TerraformType(t.Context()).(tftypes.Object)
			typ, block := config.Type(), ours.schemas.ResourceSchemas[typeName].Block

			validate := &tfprotov6.ValidateResourceConfigRequest{TypeName: typeName, Config: pack(t, config)}
			if got, ok := Direct(s).Validate(t.Context(), validate); ok {
				direct["validate"]++
				want, err := framework.ValidateResourceConfig(t.Context(), validate)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}

			none := tftypes.NewValue(typ, nil)
			plan := &tfprotov6.PlanResourceChangeRequest{TypeName: typeName, Config: pack(t, config), PriorState: pack(t, none), ProposedNewState: pack(t, proposedState(t, block, config, none))}
			if got, ok := Direct(s).Plan(t.Context(), plan); ok {
				direct["plan"]++
				want, err := framework.PlanResourceChange(t.Context(), plan)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}

			created := ours.create(t, typeName, config)
			state := pack(t, created.value)
			read := &tfprotov6.ReadResourceRequest{TypeName: typeName, CurrentState: state, Private: created.private, CurrentIdentity: created.identity}
			if got, ok := Direct(s).Read(t.Context(), read); ok {
				direct["read"]++
				want, err := Framework(s).ReadResource(t.Context(), read)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}
			read.CurrentIdentity = nil // of an older version of the command line
			if got, ok := Direct(s).Read(t.Context(), read); ok {
				want, err := Framework(s).ReadResource(t.Context(), read)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			} else {
				t.Errorf("%s is not read directly without an identity", r.Name)
			}

			takenOver := newCore(t, meshes...)
			takenOver.put(t, r)
			imported := takenOver.imports(t, typeName, configuration.KindImportID(k, r.Mesh, r.Name), nil)
			again := &tfprotov6.PlanResourceChangeRequest{
				TypeName: typeName, Config: pack(t, config), PriorState: pack(t, imported.value), PriorPrivate: imported.private, PriorIdentity: imported.identity,
				ProposedNewState: pack(t, proposedState(t, block, config, imported.value)),
			}
			if got, ok := Direct(takenOver.server).Plan(t.Context(), again); ok {
				direct["plan of other spelling"]++
				StartRun(takenOver.server)
				want, err := Framework(takenOver.server).PlanResourceChange(t.Context(), again)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}

			upgrade := &tfprotov6.UpgradeResourceStateRequest{TypeName: typeName, RawState: rawState(t, block, created.value)}
			if got, ok := Direct(s).Upgrade(upgrade); ok {
				direct["upgrade"]++
				want, err := Framework(s).UpgradeResourceState(t.Context(), upgrade)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}

			StartRun(s)
			gone := pack(t, none)
			deletion := &tfprotov6.PlanResourceChangeRequest{TypeName: typeName, Config: gone, PriorState: state, ProposedNewState: gone, PriorPrivate: created.private, PriorIdentity: created.identity}
			if got, ok := Direct(s).Plan(t.Context(), deletion); ok {
				direct["plan of a deletion"]++
				want, err := Framework(s).PlanResourceChange(t.Context(), deletion)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}
			deletion.PriorIdentity = nil
			if got, ok := Direct(s).Plan(t.Context(), deletion); ok {
				want, err := Framework(s).PlanResourceChange(t.Context(), deletion)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}
			deletes := &tfprotov6.ApplyResourceChangeRequest{TypeName: typeName, Config: gone, PriorState: state, PlannedState: gone, PlannedPrivate: created.private, PlannedIdentity: created.identity}
			want, err := framework.ApplyResourceChange(t.Context(), deletes) // of what is gone
			if got, ok := Direct(s).Delete(t.Context(), deletes); ok {
				direct["deletion"]++
				compareAnswers(t, typ, identity, r.Name, got, want, err)
				ours.nothingLeft(t, r)
			}
		}
	}
	t.Logf("%d documents: %v", compared, direct)
	for _, what := range []string{"validate", "plan", "read", "upgrade", "plan of other spelling", "plan of a deletion", "deletion"} {
		if direct[what] < compared/2 {
			t.Errorf("%s: only %d direct answers about %d documents", what, direct[what], compared)
		}
	}
}

// TestDirectRejections compares the validation of all documents that a control plane
// rejected, as far as they can be written as configuration.
func TestDirectRejections(t *testing.T) {
	t.Parallel()
	c := newCore(t)
	s := c.server
	direct, rejected := 0, 0
	for _, k := range kinds.All() {
		for _, file := range testworld.Files(t, filepath.Join(catalog, "invalid", k.Name+"-*.yaml")) {
			r, err := kuma.FromDocument(testworld.Document(t, testworld.Text(t, file)), kinds.Form)
			if err != nil {
				continue
			}
			written, err := configuration.File(t.Context(), []kuma.Resource{r}, Verbatim)
			if err != nil {
				continue
			}
			typeName, config, diags := c.config(t, written)
			if diags.HasErrors() {
				continue
			}
			req := &tfprotov6.ValidateResourceConfigRequest{TypeName: typeName, Config: pack(t, config)}
			got, ok := Direct(s).Validate(t.Context(), req)
			if !ok {
				continue
			}
			direct++
			if HasErrors(got.Diagnostics) {
				rejected++
			}
			want, err := Framework(s).ValidateResourceConfig(t.Context(), req)
			compareAnswers(t, config.Type(), nil, filepath.Base(file), got, want, err)
		}
	}
	if t.Logf("%d direct answers, %d of them with errors", direct, rejected); rejected < 100 {
		t.Errorf("only %d direct answers with errors", rejected)
	}
}

func compareAnswers(t *testing.T, typ, identity tftypes.Type, name string, got, want any, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	options := cmp.Options{
		cmpopts.EquateEmpty(),
		cmp.Comparer(func(a, b *tftypes.AttributePath) bool { return a.String() == b.String() }),
		cmp.Comparer(func(a, b *tfprotov6.ResourceIdentityData) bool {
			if a == nil || b == nil {
				return a == b
			}
			first, errA := a.IdentityData.Unmarshal(identity)
			second, errB := b.IdentityData.Unmarshal(identity)
			return errA == nil && errB == nil && first.Equal(second)
		}),
		cmp.Comparer(func(a, b *tfprotov6.DynamicValue) bool {
			if a == nil || b == nil || bytes.Equal(a.MsgPack, b.MsgPack) {
				return (a == nil) == (b == nil)
			}
			first, errA := a.Unmarshal(typ)
			second, errB := b.Unmarshal(typ)
			return errA == nil && errB == nil && first.Equal(second)
		}),
	}
	if diff := cmp.Diff(want, got, options); diff != "" {
		t.Errorf("%s: direct answer (-framework +direct):\n%s", name, diff)
	}
}
