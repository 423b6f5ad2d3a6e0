package provider_test

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
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
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
		for _, r := range providertest.CatalogExamples(t, k) {
			if documents++; !testworld.Runs(documents) {
				continue
			}
			compared++
			meshes := []string{}
			if r.Mesh != "" {
				meshes = append(meshes, r.Mesh)
			}
			// Each plan has its own control plane, which records it.
			ours, theirs := providertest.NewCore(t, meshes...), providertest.NewCore(t, meshes...)
			s, framework := ours.Server, provider.Framework(theirs.Server)
			config := ours.Configuration(t, k, r)
			identity, _ := tfschema.Identity(k).Type().TerraformType(t.Context()).(tftypes.Object)
			typ, block := config.Type(), ours.Schemas.ResourceSchemas[typeName].Block

			validate := &tfprotov6.ValidateResourceConfigRequest{TypeName: typeName, Config: providertest.Pack(t, config)}
			if got, ok := provider.Direct(s).Validate(t.Context(), validate); ok {
				direct["validate"]++
				want, err := framework.ValidateResourceConfig(t.Context(), validate)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}

			none := tftypes.NewValue(typ, nil)
			plan := &tfprotov6.PlanResourceChangeRequest{TypeName: typeName, Config: providertest.Pack(t, config), PriorState: providertest.Pack(t, none), ProposedNewState: providertest.Pack(t, providertest.ProposedState(t, block, config, none))}
			if got, ok := provider.Direct(s).Plan(t.Context(), plan); ok {
				direct["plan"]++
				want, err := framework.PlanResourceChange(t.Context(), plan)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}

			created := ours.Create(t, typeName, config)
			state := providertest.Pack(t, created.Value)
			read := &tfprotov6.ReadResourceRequest{TypeName: typeName, CurrentState: state, Private: created.Private, CurrentIdentity: created.Identity}
			if got, ok := provider.Direct(s).Read(t.Context(), read); ok {
				direct["read"]++
				want, err := provider.Framework(s).ReadResource(t.Context(), read)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}
			read.CurrentIdentity = nil // of an older version of the command line
			if got, ok := provider.Direct(s).Read(t.Context(), read); ok {
				want, err := provider.Framework(s).ReadResource(t.Context(), read)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			} else {
				t.Errorf("%s is not read directly without an identity", r.Name)
			}

			takenOver := providertest.NewCore(t, meshes...)
			providertest.Put(t, takenOver.Client, r)
			imported := takenOver.Imports(t, typeName, configuration.KindImportID(k, r.Mesh, r.Name), nil)
			again := &tfprotov6.PlanResourceChangeRequest{
				TypeName: typeName, Config: providertest.Pack(t, config), PriorState: providertest.Pack(t, imported.Value), PriorPrivate: imported.Private, PriorIdentity: imported.Identity,
				ProposedNewState: providertest.Pack(t, providertest.ProposedState(t, block, config, imported.Value)),
			}
			if got, ok := provider.Direct(takenOver.Server).Plan(t.Context(), again); ok {
				direct["plan of other spelling"]++
				providertest.StartRun(takenOver.Server)
				want, err := provider.Framework(takenOver.Server).PlanResourceChange(t.Context(), again)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}

			upgrade := &tfprotov6.UpgradeResourceStateRequest{TypeName: typeName, RawState: providertest.RawState(t, block, created.Value)}
			if got, ok := provider.Direct(s).Upgrade(upgrade); ok {
				direct["upgrade"]++
				want, err := provider.Framework(s).UpgradeResourceState(t.Context(), upgrade)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}

			providertest.StartRun(s)
			gone := providertest.Pack(t, none)
			deletion := &tfprotov6.PlanResourceChangeRequest{TypeName: typeName, Config: gone, PriorState: state, ProposedNewState: gone, PriorPrivate: created.Private, PriorIdentity: created.Identity}
			if got, ok := provider.Direct(s).Plan(t.Context(), deletion); ok {
				direct["plan of a deletion"]++
				want, err := provider.Framework(s).PlanResourceChange(t.Context(), deletion)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}
			deletion.PriorIdentity = nil
			if got, ok := provider.Direct(s).Plan(t.Context(), deletion); ok {
				want, err := provider.Framework(s).PlanResourceChange(t.Context(), deletion)
				compareAnswers(t, typ, identity, r.Name, got, want, err)
			}
			deletes := &tfprotov6.ApplyResourceChangeRequest{TypeName: typeName, Config: gone, PriorState: state, PlannedState: gone, PlannedPrivate: created.Private, PlannedIdentity: created.Identity}
			want, err := framework.ApplyResourceChange(t.Context(), deletes) // of what is gone
			if got, ok := provider.Direct(s).Delete(t.Context(), deletes); ok {
				direct["deletion"]++
				compareAnswers(t, typ, identity, r.Name, got, want, err)
				ours.NothingLeft(t, r)
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
	c := providertest.NewCore(t)
	s := c.Server
	direct, rejected := 0, 0
	for _, k := range kinds.All() {
		for _, file := range testworld.Files(t, filepath.Join(providertest.Catalog, "invalid", k.Name+"-*.yaml")) {
			r, err := kuma.FromDocument(testworld.Document(t, testworld.Text(t, file)), kinds.Form)
			if err != nil {
				continue
			}
			written, err := configuration.File([]kuma.Resource{r}, providertest.Verbatim)
			if err != nil {
				continue
			}
			typeName, config, diags := c.Config(t, written)
			if diags.HasErrors() {
				continue
			}
			req := &tfprotov6.ValidateResourceConfigRequest{TypeName: typeName, Config: providertest.Pack(t, config)}
			got, ok := provider.Direct(s).Validate(t.Context(), req)
			if !ok {
				continue
			}
			direct++
			if providertest.HasErrors(got.Diagnostics) {
				rejected++
			}
			want, err := provider.Framework(s).ValidateResourceConfig(t.Context(), req)
			compareAnswers(t, config.Type(), nil, filepath.Base(file), got, want, err)
		}
	}
	if t.Logf("%d direct answers, %d of them with errors", direct, rejected); rejected < 100 {
		t.Errorf("only %d direct answers with errors", rejected)
	}
}

func compareAnswers(t *testing.T, typ, identity tftypes.Type, name string, got, want any, err error) {
	t.Helper()
	testworld.NoError(t, err)
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
