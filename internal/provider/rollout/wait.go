package rollout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// waitModel contains the arguments of a wait for a rollout.
type waitModel struct {
	selectionModel
	Names           types.Set    `tfsdk:"names"`
	Since           types.String `tfsdk:"since"`
	Timeout         types.String `tfsdk:"timeout"`
	StopAtRejection types.Bool   `tfsdk:"stop_at_rejection"`
}

const (
	usualTimeout = time.Minute
	pollInterval = 2 * time.Second
	// syncing is how long changes and answers take between a global control plane and its
	// zones, both ways (rest-api.md §18).
	syncing = 4 * time.Second
	// sending is how many intervals of the configuration a control plane takes to send a
	// change, and slack what it takes beyond them: most changes were sent within two.
	sending = 3
	slack   = 2 * time.Second
)

// duration validates a duration.
var duration = tfschema.StringValidator{Wants: "a duration", Wrong: func(text string) (string, string) {
	if d, err := time.ParseDuration(text); err != nil || d <= 0 {
		return "Invalid duration", fmt.Sprintf("%q is not a positive duration. Write a number and a unit, such as \"90s\" or \"5m\".", text)
	}
	return "", ""
}}

// timestamp validates a time.
var timestamp = tfschema.StringValidator{Wants: "a time in RFC 3339 format", Wrong: func(text string) (string, string) {
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return "Invalid time", fmt.Sprintf("%q is not a time in RFC 3339 format, such as \"2026-11-23T13:00:00Z\".", text)
	}
	return "", ""
}}

var waitValidators = tfschema.Validators{"since": timestamp, "timeout": duration}

// waiter waits for the rollout of a change.
type waiter struct {
	cp       *connection.Connection
	selected selection
	progress *rollout.Progress
	change   rollout.Change
	deadline time.Time
	stop     bool
	report   func(rollout.Result) // called after each reading
}

// waiter returns what waits as the arguments say. It reads the state of the proxies for
// the clock of the control plane.
func (m waitModel) waiter(ctx context.Context, cp *connection.Connection, diags *diag.Diagnostics) *waiter {
	w := &waiter{cp: cp, stop: m.StopAtRejection.IsNull() || m.StopAtRejection.ValueBool(), report: func(rollout.Result) {}}
	timeout, err := time.ParseDuration(m.Timeout.ValueString())
	if err != nil {
		timeout = usualTimeout
	}
	w.deadline = time.Now().Add(timeout)
	w.selected = m.selection(ctx, cp.Store, diags)
	var names []string
	diags.Append(m.Names.ElementsAs(ctx, &names, false)...)
	if diags.HasError() {
		return nil
	}
	if !m.Names.IsNull() {
		w.selected.some, w.selected.names = true, phrase.Sorted(slices.Concat(names, w.selected.names))
	}
	now, err := w.selected.read(ctx, cp.Store)
	if err != nil {
		reportReading(diags, w.selected.mesh, err)
		return nil
	}
	w.reportMissing(names, now, diags)
	w.change = m.change(ctx, cp, now.At, time.Now(), diags)
	if diags.HasError() {
		return nil
	}
	w.progress = rollout.NewProgress(w.change)
	w.progress.Read(now)
	return w
}

// reportMissing reports names of Dataplanes that do not exist.
func (w *waiter) reportMissing(names []string, now rollout.Reading, diags *diag.Diagnostics) {
	for _, name := range names {
		if !slices.ContainsFunc(now.Proxies, func(p rollout.Proxy) bool { return p.Name == name }) {
			diags.AddAttributeError(path.Root("names"), "Dataplane not found",
				fmt.Sprintf("Mesh %q has no Dataplane %q. Check the name.", w.selected.mesh, name))
		}
	}
}

// change returns the change to wait for. Its times are by the clock of the control plane,
// which showed at no later than the one of this process showed local: a change that seems
// to begin too early is safe, because proxies cannot have answered it before.
func (m waitModel) change(ctx context.Context, cp *connection.Connection, at, local time.Time, diags *diag.Diagnostics) rollout.Change {
	delays, err := cp.Store.Client().Delays(ctx)
	if err != nil {
		diags.AddError("Cannot read the settings of the control plane", report.RequestDetail(err))
		return rollout.Change{}
	}
	cp.Forget()
	applied := analysis.ReadApplied(ctx, cp, m.mesh(), diags)
	c := rollout.Change{First: applied.Last, Last: applied.Last, Expected: applied.Changed, Delay: sending*delays.Configuration +
		delays.Overview + slack}
	if cp.Capabilities().ControlPlane.Mode == kuma.ModeGlobal {
		c.Delay += syncing
	}
	began := cp.CurrentRun().ApplyBegan()
	if since, err := time.Parse(time.RFC3339, m.Since.ValueString()); err == nil {
		c.First, c.Last = since, since
	} else if applied.ByRun && !began.IsZero() {
		c.First, c.Last = at.Add(began.Sub(local)), at
	}
	return c
}

// wait returns the progress when it is final, or at the timeout. It ends with ctx.
func (w *waiter) wait(ctx context.Context) (rollout.Result, error) {
	read := func(ctx context.Context) (rollout.Reading, error) { return w.selected.read(ctx, w.cp.Store) }
	return w.progress.Follow(ctx, w.stop, read, func(ctx context.Context, r rollout.Result) bool {
		w.report(r)
		left := time.Until(w.deadline)
		if left <= 0 {
			return false
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(pollInterval, left)):
		}
		return true
	})
}
