package analysis

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Applied is what was written to a mesh.
type Applied struct {
	// ByRun reports whether this run wrote to the mesh.
	ByRun bool
	// Last is when the resource that was written last was written, by the clock of the
	// control plane.
	Last time.Time
	// Changed are the Dataplanes whose settings the writes of this run have changed.
	Changed map[string]bool
}

// ReadApplied returns what was written to a mesh. A mesh that does not exist has nothing.
func ReadApplied(ctx context.Context, cp *connection.Connection, mesh string, diags *diag.Diagnostics) Applied {
	in := analysisInput{Mesh: input.Mesh{Name: mesh}, relevant: rules.Kinds(), diags: diags}
	stored, ok := in.stored(ctx, cp)
	if !ok {
		return Applied{}
	}
	run := cp.CurrentRun()
	a := Applied{ByRun: run.HasWritten(mesh), Changed: map[string]bool{}}
	for _, r := range stored {
		if r.ModificationTime.After(a.Last) {
			a.Last = r.ModificationTime
		}
	}
	if !a.ByRun {
		return a
	}
	in.Mesh = input.Stored(mesh, cp.Capabilities().ControlPlane, append([]kuma.Resource{}, run.BeforeWrites(stored, mesh)...), stored, nil)
	before, _ := in.BeforeChange().Snapshot()
	now, _ := in.Snapshot()
	i, err := impact.Compare(before, now, mesh)
	if errors.Is(err, rules.ErrUnknownMesh) {
		return a // the run created it
	}
	if err != nil {
		diags.AddError("Cannot compute the impact", phrase.Sentence(err))
		return a
	}
	outbounds, incoming := withOutbounds(stored), func(c *impact.Change) bool { return c.Direction != impact.To }
	for _, g := range i.Groups {
		for _, name := range g.Dataplanes {
			a.Changed[name] = outbounds[name] || slices.ContainsFunc(g.Changes, incoming)
		}
	}
	return a
}

// withOutbounds returns the names of the Dataplanes to which settings for outgoing traffic
// can apply: those with outbounds or a transparent proxy.
func withOutbounds(resources []kuma.Resource) map[string]bool {
	names := map[string]bool{}
	for _, r := range resources {
		if r.Type == kuma.KindDataplane {
			n := tree.Object(r.Body["networking"])
			names[r.Name] = n["outbound"] != nil || n["transparentProxying"] != nil
		}
	}
	return names
}
