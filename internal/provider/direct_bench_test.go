package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// BenchmarkDirectAnswers answers the requests about one resource with and without the
// framework.
func BenchmarkDirectAnswers(b *testing.B) {
	c := providertest.NewCore(b, "shop")
	s := c.Server
	typeName, config, diags := c.Config(b, strings.Replace(benchPolicy, "TIMEOUT", "15s", 1))
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	block := c.Schemas.ResourceSchemas[typeName].Block
	none := tftypes.NewValue(config.Type(), nil)
	plans := func(name string, req *tfprotov6.PlanResourceChangeRequest) {
		compareAnswerTimes(b, s, name,
			func() bool { _, ok := provider.Direct(s).Plan(b.Context(), req); return ok },
			func() error { _, err := provider.Framework(s).PlanResourceChange(b.Context(), req); return err })
	}

	validate := &tfprotov6.ValidateResourceConfigRequest{TypeName: typeName, Config: providertest.Pack(b, config)}
	compareAnswerTimes(b, s, "validate",
		func() bool { _, ok := provider.Direct(s).Validate(b.Context(), validate); return ok },
		func() error {
			_, err := provider.Framework(s).ValidateResourceConfig(b.Context(), validate)
			return err
		})
	plans("plan creation", &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, Config: providertest.Pack(b, config), PriorState: providertest.Pack(b, none), ProposedNewState: providertest.Pack(b, providertest.ProposedState(b, block, config, none)),
	})

	created := c.Create(b, typeName, config)
	state := providertest.Pack(b, created.Value)
	upgrade := &tfprotov6.UpgradeResourceStateRequest{TypeName: typeName, RawState: providertest.RawState(b, block, created.Value)}
	compareAnswerTimes(b, s, "upgrade",
		func() bool { _, ok := provider.Direct(s).Upgrade(upgrade); return ok },
		func() error { _, err := provider.Framework(s).UpgradeResourceState(b.Context(), upgrade); return err })
	read := &tfprotov6.ReadResourceRequest{TypeName: typeName, CurrentState: state, Private: created.Private, CurrentIdentity: created.Identity}
	compareAnswerTimes(b, s, "read",
		func() bool { _, ok := provider.Direct(s).Read(b.Context(), read); return ok },
		func() error { _, err := provider.Framework(s).ReadResource(b.Context(), read); return err })
	plans("plan without change", &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, Config: providertest.Pack(b, config), PriorState: state, ProposedNewState: state, PriorPrivate: created.Private, PriorIdentity: created.Identity,
	})
	_, respelled, diags := c.Config(b, strings.NewReplacer("TIMEOUT", "15s", `"20s"`, `"0m20s"`).Replace(benchPolicy))
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	plans("plan of other spelling", &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, Config: providertest.Pack(b, respelled), PriorState: state, ProposedNewState: providertest.Pack(b, providertest.ProposedState(b, block, respelled, created.Value)),
		PriorPrivate: created.Private, PriorIdentity: created.Identity,
	})
	gone := providertest.Pack(b, none)
	plans("plan deletion", &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, Config: gone, PriorState: state, ProposedNewState: gone, PriorPrivate: created.Private, PriorIdentity: created.Identity,
	})

	c.Destroy(b, typeName, created) // deleting what is gone succeeds, as often as is measured
	deletion := &tfprotov6.ApplyResourceChangeRequest{TypeName: typeName, Config: gone, PriorState: state, PlannedState: gone, PlannedPrivate: created.Private, PlannedIdentity: created.Identity}
	compareAnswerTimes(b, s, "delete",
		func() bool { _, ok := provider.Direct(s).Delete(b.Context(), deletion); return ok },
		func() error { _, err := provider.Framework(s).ApplyResourceChange(b.Context(), deletion); return err })
}

// compareAnswerTimes measures both answers to a request, each in a run of its own.
func compareAnswerTimes(b *testing.B, s tfprotov6.ProviderServer, name string, direct func() bool, framework func() error) {
	b.Helper()
	b.Run(name+"/direct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			providertest.StartRun(s)
			if !direct() {
				b.Fatal("the request is left to the framework")
			}
		}
	})
	b.Run(name+"/framework", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			providertest.StartRun(s)
			testworld.NoError(b, framework())
		}
	})
}
