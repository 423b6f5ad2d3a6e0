package token

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
)

// Actions returns the constructors of the actions.
func Actions() []func() action.Action {
	return []func() action.Action{
		func() action.Action { return &tokenAction[revokeModel]{kind: revokeTokens()} },
		func() action.Action { return &tokenAction[rotateModel]{kind: rotateSigningKey()} },
	}
}

// actionKind describes an action.
type actionKind struct {
	typeName string
	doc      string
	typeDoc  string // of the argument type, if it is another one
	failure  string // the summary of an error
}

// arguments are the configuration of an action.
type arguments interface {
	signer() signer
	// validate reports what is wrong with the arguments that are known.
	validate(*diag.Diagnostics)
	// object is what actions of the kind that are carried out at the same time have in common.
	object() kuma.Key
	// change returns what the action changes in what is stored now.
	change(context.Context, *store.Store) (change, error)
}

// change is what an action changes in what is stored.
type change interface {
	// touched returns the resources that it writes or deletes, and what to do if Terraform
	// manages one of them.
	touched() (keys []kuma.Key, advice string)
	// warning says what it cuts off. The summary is empty for nothing.
	warning(context.Context, *store.Store) (summary, detail string, err error)
	// write stores it. An error that [isRace] accepts says that the change is outdated.
	write(context.Context, *store.Store) error
	// isStored reads whether it is stored.
	isStored(context.Context, *store.Store) (bool, error)
	// finish is called when it is stored, and reports what it has changed.
	finish(ctx context.Context, in *store.Store, progress func(string)) error
}

// tokenAction is an action on what a signer stores: its keys, or its list of revoked tokens.
type tokenAction[A arguments] struct {
	kind actionKind
	cp   *connection.Connection
}

var (
	_ action.ActionWithConfigure      = (*tokenAction[revokeModel])(nil)
	_ action.ActionWithValidateConfig = (*tokenAction[revokeModel])(nil)
	_ action.ActionWithModifyPlan     = (*tokenAction[revokeModel])(nil)
)

func (a *tokenAction[A]) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = a.kind.typeName
}

func (a *tokenAction[A]) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes, _ := report.Schema[A, schema.Attribute, schema.Block](nil)
	if a.kind.typeDoc != "" {
		attributes["type"] = schema.StringAttribute{Required: true, MarkdownDescription: a.kind.typeDoc}
	}
	resp.Schema = schema.Schema{MarkdownDescription: a.kind.doc, Attributes: attributes}
}

func (a *tokenAction[A]) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	a.cp, _ = req.ProviderData.(*connection.Connection)
}

// ValidateConfig implements [action.ActionWithValidateConfig].
func (*tokenAction[A]) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	read[A](ctx, req.Config, &resp.Diagnostics)
}

// read returns the arguments, and validates them: Terraform does not validate them again when
// all of them are known.
func read[A arguments](ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) A {
	var args A
	if report.Arguments(ctx, config, &args, diags) {
		args.validate(diags)
	}
	return args
}

// ModifyPlan implements [action.ActionWithModifyPlan]: it says what the action cuts off.
func (a *tokenAction[A]) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.cp == nil || a.cp.Store == nil || !req.Config.Raw.IsFullyKnown() {
		return
	}
	diags := &resp.Diagnostics
	args := read[A](ctx, req.Config, diags)
	args.signer().checkOwned(a.cp.Store, diags)
	if diags.HasError() {
		return
	}
	planned, err := args.change(ctx, a.cp.Store)
	if err == nil {
		keys, _ := planned.touched()
		a.cp.Run.AwaitManaged(ctx, keys) // Terraform may plan the resources after the action
		err = a.checkUnmanaged(planned)
	}
	var summary, detail string
	if err == nil {
		summary, detail, err = planned.warning(ctx, a.cp.Store)
	}
	switch {
	case err != nil:
		diags.AddError(a.kind.failure, report.RequestDetail(err))
	case summary != "":
		diags.AddWarning(summary, detail)
	}
}

// checkUnmanaged returns an error if a resource of this configuration manages what the action
// would change: the next plan would undo that, or fail.
func (a *tokenAction[A]) checkUnmanaged(c change) error {
	keys, advice := c.touched()
	for _, key := range keys {
		typeName := ""
		switch known := a.cp.Run.Get(key); {
		case known.Creation != runstate.CreationNone:
			typeName = known.NewType
		case known.Stage.InState():
			typeName = known.TypeName
		default:
			continue
		}
		return fmt.Errorf("%s is managed by a %s of this configuration or its state. %s", key, typeName, advice)
	}
	return nil
}

// Invoke implements [action.Action].
func (a *tokenAction[A]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	diags := &resp.Diagnostics
	args := read[A](ctx, req.Config, diags)
	if diags.HasError() || !a.cp.Ready(diags) {
		return
	}
	args.signer().checkOwned(a.cp.Store, diags)
	args.signer().checkMesh(ctx, a.cp.Store, diags)
	if diags.HasError() {
		return
	}
	done, err := a.carryOut(ctx, args)
	if err == nil {
		err = done.finish(ctx, a.cp.Store, func(text string) { resp.SendProgress(action.InvokeProgressEvent{Message: text}) })
	}
	if err != nil {
		diags.AddError(a.kind.failure, report.RequestDetail(err))
	}
}

// carryOut writes what the action changes until it is stored. The actions of an apply run at
// the same time, and other clients may write, too.
func (a *tokenAction[A]) carryOut(ctx context.Context, args A) (change, error) {
	const attempts, longestWait = 10, 200 * time.Millisecond
	for range attempts {
		c, err := store.Exclusively(ctx, a.cp.Store, args.object(), func(ctx context.Context) (change, error) {
			c, err := args.change(ctx, a.cp.Store)
			if err == nil {
				err = a.checkUnmanaged(c)
			}
			if err == nil {
				err = c.write(ctx, a.cp.Store)
			}
			return c, err
		})
		stored := false
		switch {
		case isRace(err):
			err = sleep(ctx, rand.N(longestWait))
		case err == nil:
			stored, err = a.settle(ctx, c)
		}
		if stored || err != nil {
			return c, err
		}
	}
	return nil, fmt.Errorf("another client changed %s each time the action had written it. Find out what writes it, and run the action again",
		args.object())
}

// settling is how long another client may take from reading to writing.
const settling = time.Second

// settle reports whether a change is stored, after other clients that have read before the
// write may have undone it: a control plane of Kuma ignores conditions of requests.
func (a *tokenAction[A]) settle(ctx context.Context, c change) (bool, error) {
	if !a.cp.Store.ControlPlane.Embedded {
		if err := sleep(ctx, settling); err != nil {
			return false, err
		}
	}
	stored, err := c.isStored(ctx, a.cp.Store)
	if err != nil { // the change may have revoked the token of the provider
		err = fmt.Errorf("it is not certain that the change is stored: %w", err)
	}
	return stored, err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("interrupted before it was certain that the change is stored: %w", ctx.Err())
	case <-time.After(d):
		return nil
	}
}

// isRace reports whether a write failed because another client wrote at the same time, and
// may be tried again.
func isRace(err error) bool {
	_, changed := errors.AsType[*store.ChangedError](err)
	_, exists := errors.AsType[*controlplane.ExistsError](err)
	_, conflict := errors.AsType[*controlplane.ConflictError](err)
	return changed || exists || conflict
}
