package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// BenchmarkDirectAnswers answers the requests about one resource with and without the
// framework.
func BenchmarkDirectAnswers(b *testing.B) {
	c := newCore(b, "shop")
	s := c.server
	typeName, config, diags := c.config(b, strings.Replace(benchPolicy, "TIMEOUT", "15s", 1))
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	block := c.schemas.ResourceSchemas[typeName].Block
	none := tftypes.NewValue(config.Type(), nil)
	plans := func(name string, req *tfprotov6.PlanResourceChangeRequest) {
		compareAnswerTimes(b, s, name,
			func() bool { _, ok := Direct(s).Plan(b.Context(), req); return ok },
			func() error { _, err := Framework(s).PlanResourceChange(b.Context(), req); return err })
	}

	validate := &tfprotov6.ValidateResourceConfigRequest{TypeName: typeName, Config: pack(b, config)}
	compareAnswerTimes(b, s, "validate",
		func() bool { _, ok := Direct(s).Validate(b.Context(), validate); return ok },
		func() error { _, err := Framework(s).ValidateResourceConfig(b.Context(), validate); return err })
	plans("plan creation", &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, Config: pack(b, config), PriorState: pack(b, none), ProposedNewState: pack(b, proposedState(b, block, config, none)),
	})

	created := c.create(b, typeName, config)
	state := pack(b, created.value)
	upgrade := &tfprotov6.UpgradeResourceStateRequest{TypeName: typeName, RawState: rawState(b, block, created.value)}
	compareAnswerTimes(b, s, "upgrade",
		func() bool { _, ok := Direct(s).Upgrade(upgrade); return ok },
		func() error { _, err := Framework(s).UpgradeResourceState(b.Context(), upgrade); return err })
	read := &tfprotov6.ReadResourceRequest{TypeName: typeName, CurrentState: state, Private: created.private, CurrentIdentity: created.identity}
	compareAnswerTimes(b, s, "read",
		func() bool { _, ok := Direct(s).Read(b.Context(), read); return ok },
		func() error { _, err := Framework(s).ReadResource(b.Context(), read); return err })
	plans("plan without change", &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, Config: pack(b, config), PriorState: state, ProposedNewState: state, PriorPrivate: created.private, PriorIdentity: created.identity,
	})
	_, respelled, diags := c.config(b, strings.NewReplacer("TIMEOUT", "15s", `"20s"`, `"0m20s"`).Replace(benchPolicy))
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	plans("plan of other spelling", &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, Config: pack(b, respelled), PriorState: state, ProposedNewState: pack(b, proposedState(b, block, respelled, created.value)),
		PriorPrivate: created.private, PriorIdentity: created.identity,
	})
	gone := pack(b, none)
	plans("plan deletion", &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, Config: gone, PriorState: state, ProposedNewState: gone, PriorPrivate: created.private, PriorIdentity: created.identity,
	})

	c.destroy(b, typeName, created) // deleting what is gone succeeds, as often as is measured
	deletion := &tfprotov6.ApplyResourceChangeRequest{TypeName: typeName, Config: gone, PriorState: state, PlannedState: gone, PlannedPrivate: created.private, PlannedIdentity: created.identity}
	compareAnswerTimes(b, s, "delete",
		func() bool { _, ok := Direct(s).Delete(b.Context(), deletion); return ok },
		func() error { _, err := Framework(s).ApplyResourceChange(b.Context(), deletion); return err })
}

// compareAnswerTimes measures both answers to a request, each in a run of its own.
func compareAnswerTimes(b *testing.B, s tfprotov6.ProviderServer, name string, direct func() bool, framework func() error) {
	b.Helper()
	b.Run(name+"/direct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			StartRun(s)
			if !direct() {
				b.Fatal("the request is left to the framework")
			}
		}
	})
	b.Run(name+"/framework", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			StartRun(s)
			if err := framework(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
