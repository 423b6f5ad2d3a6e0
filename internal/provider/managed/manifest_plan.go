package managed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func (r *manifestResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	create := req.State.Raw.IsNull()
	var before kuma.Key
	if !create {
		before = manifestKey(ctx, req.State, &resp.Diagnostics)
	}
	if req.Plan.Raw.IsNull() {
		r.client(before).planDeletion(ctx, before, manifestBlock(before), &resp.Diagnostics)
		r.client(before).planContents(ctx, before, forcesDestroy(req.State.Raw), false, resp.Private, &resp.Diagnostics)
		return
	}
	planned, known := r.document(req.Plan.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.client(before).Connected() {
		return // the computed attributes stay unknown
	}
	key := planned.Key()
	if !known {
		key = r.knownKey(req.Plan.Raw)
		r.cp.RecordUnknownReferenced(key.Type)
	}
	if create {
		r.cp.Run.BeginCreation(key)
	}
	if key == (kuma.Key{}) {
		return
	}
	client, block := r.client(key), manifestBlock(key)
	var replaced types.String
	if create {
		replaced = tfvalue.OptionalString(client.replacedVersion(ctx, key, &resp.Diagnostics))
	} else {
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(tfschema.ReplacedVersion), &replaced)...)
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(tfschema.ReplacedVersion), replaced)...)
	if !create {
		client.planKey(ctx, before, key, block, resp.Private, &resp.Diagnostics)
		if before != key {
			r.client(before).planContents(ctx, before, forcesDestroy(req.State.Raw), true, resp.Private, &resp.Diagnostics)
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root("manifest"))
		}
	}
	switch {
	case known && !r.planDocument(ctx, client, planned, before, req, resp):
	case create && known:
		client.planCreation(ctx, key, &planned, block, resp.Private, &resp.Diagnostics)
	case create:
		client.planCreation(ctx, key, nil, block, resp.Private, &resp.Diagnostics)
	}
	if !create && len(resp.RequiresReplace) > 0 {
		client.planReplacement(ctx, before, r.partlyKnown(req.Plan.Raw), before == key, block, resp.Private, &resp.Diagnostics)
	}
}

// planDocument plans a document that is fully known; false when there is nothing to
// write, or an error.
func (r *manifestResource) planDocument(ctx context.Context, client resourceClient, planned kuma.Resource, before kuma.Key,
	req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) bool {
	var stored kuma.Resource
	if before == planned.Key() {
		var changes bool
		if stored, changes = r.compare(ctx, client, planned, req, resp); !changes {
			report.Document(&resp.Diagnostics, path.Empty(), r.cp.ReportUnchanged(ctx, before))
			return false
		}
		client.planChange(ctx, stored, &resp.Diagnostics)
	}
	client.recordChange(planned.Key(), planned.Labels, &resp.Diagnostics)
	known := stored
	if req.State.Raw.IsNull() {
		known, _ = client.storedSecret(ctx, planned.Key(), &resp.Diagnostics)
	}
	report.Document(&resp.Diagnostics, placeOfManifest(client.kind.Name), omittedSecrets(client.kind, planned.Document(), known))
	r.cp.RecordReferenced(client.kind, planned.Document())
	problems := r.cp.Problems(ctx, client.kind, planned.Document(), req.State.Raw.IsNull())
	manifest, _ := manifestTree(req.Plan.Raw) // which was read above
	report.Document(&resp.Diagnostics, placeOfManifest(client.kind.Name), ofNamespace(problems, manifest))
	report.Document(&resp.Diagnostics, placeOfManifest(client.kind.Name), r.cp.DanglingReferences(ctx, client.kind, planned.Document()))
	if before.Name != "" && (before != planned.Key() || !maps.Equal(client.Resources().LabelsAfter(planned, stored), stored.Labels)) {
		report.Document(&resp.Diagnostics, path.Empty(), r.cp.ReportDestroyedTarget(ctx, before, false))
	}
	if resp.Diagnostics.HasError() {
		return false
	}
	planned.Labels = client.Resources().LabelsAfter(planned, stored)
	setComputed(ctx, &resp.Plan, planned, client.kind, &resp.Diagnostics)
	if !store.Described(client.kind) {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("kri"), types.StringUnknown())...)
		resp.Diagnostics.AddWarning("Kind not validated during the plan",
			fmt.Sprintf("The control plane supports %s, but this version of the provider has no schema for it. "+
				"The control plane validates it during the apply.", planned.Type))
	}
	return true
}

// ofNamespace replaces the problems of labels that only the namespace of a document implies by
// one of the namespace.
func ofNamespace(problems []def.Problem, manifest map[string]any) []def.Problem {
	namespace := tree.Root(manifest).Get("metadata", "namespace")
	own := tree.Root(manifest).Get("metadata", "labels")
	var implied []string
	rest := slices.DeleteFunc(slices.Clone(problems), func(p def.Problem) bool {
		if len(p.Path) < 2 || p.Path[0] != "labels" || !own.Get(fmt.Sprint(p.Path[1])).Absent() {
			return false
		}
		implied = append(implied, fmt.Sprint(p.Path[1]))
		return true
	})
	if namespace.Absent() || implied == nil {
		return problems
	}
	slices.Sort(implied)
	return append(rest, def.ErrorAt(namespace, "Namespace not supported",
		fmt.Sprintf("This control plane does not store the labels %s, which make the resource one of the namespace %s. "+
			"Remove the namespace if the resource may apply to the whole mesh, and otherwise select proxies by labels in its targetRef instead.",
			phrase.And(slices.Compact(implied)...), phrase.JSON(namespace.Value()))))
}

// compare returns the stored version of a resource that keeps its key, and reports
// whether the plan changes it. If not, the plan keeps the state.
func (r *manifestResource) compare(ctx context.Context, client resourceClient, planned kuma.Resource, req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
) (stored kuma.Resource, changes bool) {
	state, ok := r.document(req.State.Raw, &resp.Diagnostics)
	if !ok {
		return kuma.Resource{}, false
	}
	upToDate := client.Resources().UpToDate
	if client.immutableChanges(planned.Key(), state.Labels, planned.Labels, nil) == nil && upToDate(planned, state) {
		keepManifest(req, resp) // differs only in spelling
		return kuma.Resource{}, false
	}
	stored, ok = client.readPlanned(ctx, planned.Key(), req.Private, &resp.Diagnostics)
	switch {
	case !ok:
		return stored, false
	case client.immutableChanges(planned.Key(), state.Labels, planned.Labels, stored.Labels) != nil,
		client.immutableFields(stored, planned.Body) != nil:
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("manifest"))
	case store.Described(client.kind) && upToDate(state, stored) && upToDate(planned, stored):
		keepManifest(req, resp) // the configuration may contain defaults that an import omits
		return stored, false
	}
	return stored, true
}

// keepManifest keeps the document of the state in the plan.
func keepManifest(req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state, errState := tfvalue.Attributes(req.State.Raw)
	plan, errPlan := tfvalue.Attributes(req.Plan.Raw)
	if err := errors.Join(errState, errPlan); err != nil {
		resp.Diagnostics.AddError("Cannot read the plan", phrase.Sentence(err))
		return
	}
	state[tfschema.ForceDestroy] = plan[tfschema.ForceDestroy]
	resp.Plan.Raw = tftypes.NewValue(req.State.Raw.Type(), state)
}

// partlyKnown returns the document of a plan, in which values may not be known yet; nil
// if it cannot be read.
func (r *manifestResource) partlyKnown(plan tftypes.Value) map[string]any {
	doc, err := manifestTree(plan)
	if err != nil || doc == nil {
		return nil
	}
	d, err := r.reader().Value(doc).Only()
	if err != nil {
		return nil
	}
	return d.Resource.Document()
}

// knownKey returns the key of a partly known document, the zero value unless all of the key
// is known. An unsupported kind is reported when the document is fully known.
func (r *manifestResource) knownKey(plan tftypes.Value) kuma.Key {
	doc, err := manifestTree(plan)
	if err != nil {
		return kuma.Key{}
	}
	key, ok := r.reader().Key(doc)
	if !ok || r.find(key.Type).Path == "" {
		return kuma.Key{}
	}
	return key
}
