package token

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var (
	_ action.ActionWithConfigure      = (*revokeAction)(nil)
	_ action.ActionWithValidateConfig = (*revokeAction)(nil)
	_ action.ActionWithModifyPlan     = (*revokeAction)(nil)
)

// revokeAction adds tokens to the list of those that the control plane rejects.
type revokeAction struct{ tokenAction }

type revokeModel struct {
	signerModel
	IDs types.Set `tfsdk:"ids"`
}

func (*revokeAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("revoke_action"),
		Attributes: map[string]schema.Attribute{
			"type": typeArgument("Type of the tokens: `dataplane`, `user` or `zone`."),
			"mesh": meshArgument("Mesh of the tokens. Required by the type `dataplane`."),
			"ids":  schema.SetAttribute{Required: true, ElementType: types.StringType, MarkdownDescription: describe("revoke_action.ids")},
		},
	}
}

// ValidateConfig implements [action.ActionWithValidateConfig].
func (*revokeAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var m revokeModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	m.validate(&resp.Diagnostics)
	for _, id := range m.IDs.Elements() {
		// A list with spaces has no effect on the tokens after them (rest-api.md §16.1).
		if id, ok := id.(types.String); ok && !id.IsUnknown() && (id.ValueString() == "" || strings.ContainsAny(id.ValueString(), ", \t\n.")) {
			resp.Diagnostics.AddError("Invalid identifier", "An element of ids is not the identifier of a token, which is its claim jti: it must not be empty, and have no spaces, commas or dots.") // not on its line, which may contain a token
		}
	}
}

// revocation is what to revoke.
type revocation struct {
	signer
	ids []string
}

// revocation reads the arguments.
func (m revokeModel) revocation(ctx context.Context, diags *diag.Diagnostics) revocation {
	r := revocation{signer: m.signer()}
	diags.Append(m.IDs.ElementsAs(ctx, &r.ids, false)...)
	slices.Sort(r.ids)
	return r
}

// rejected describes what the revocation rejects.
func (r revocation) rejected(will string) string {
	return fmt.Sprintf("These %s %s rejected: %s. %s", r.signer, will, phrase.And(r.ids...), r.effect())
}

// ModifyPlan implements [action.ActionWithModifyPlan]: it says what the action cuts off.
func (a *revokeAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var m revokeModel
	if !a.planned(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	r := m.revocation(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.checkOwned(a.cp.Store, &resp.Diagnostics)
	resp.Diagnostics.AddWarning("Tokens will be revoked", r.rejected("will be"))
}

// effect says what happens to the users of rejected tokens.
func (s signer) effect() string {
	switch s.tokenType {
	case controlplane.TokenOfDataplane:
		return "Proxies that are connected with such a token stay connected, and cannot connect again until they have a new token."
	case controlplane.TokenOfZone:
		return "Zone control planes and zone proxies that authenticate with such a token cannot connect again until they have a new token."
	default:
		return "Requests with such a token fail at once with status 401, also those of this provider if it uses one."
	}
}

func (a *revokeAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var m revokeModel
	if !a.invoked(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	r := m.revocation(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.checkOwned(a.cp.Store, &resp.Diagnostics)
	r.checkMesh(ctx, a.cp.Store, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	added, err := r.write(ctx, a.cp.Store)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Cannot revoke the tokens", report.RequestDetail(err))
	case added:
		resp.SendProgress(action.InvokeProgressEvent{Message: r.rejected("are")})
	default:
		resp.SendProgress(action.InvokeProgressEvent{Message: "The tokens were already revoked."})
	}
}

// write adds the tokens to the list, and reports whether any was missing. Another client
// may write the list at the same time.
func (r revocation) write(ctx context.Context, to *store.Store) (added bool, err error) {
	const attempts = 5
	for range attempts {
		added, err = r.writeOnce(ctx, to.Resources(kinds.GlobalSecret))
		_, changed := errors.AsType[*store.ChangedError](err)
		_, exists := errors.AsType[*controlplane.ExistsError](err)
		if !changed && !exists {
			break
		}
	}
	return added, err
}

func (r revocation) writeOnce(ctx context.Context, secrets store.Resources) (added bool, err error) {
	stored, err := secrets.Current(ctx, r.revocations())
	missing := store.IsNotFound(err)
	if err != nil && !missing {
		return false, err
	}
	data, err := base64.StdEncoding.DecodeString(tree.Text(stored.Body["data"]))
	if err != nil {
		return false, fmt.Errorf("%s is not a list of tokens: %w", r.revocations(), err)
	}
	list := strings.FieldsFunc(string(data), func(c rune) bool { return strings.ContainsRune(", \t\r\n", c) })
	before := len(list)
	for _, id := range r.ids {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	text := strings.Join(list, ",")
	if text == strings.TrimSuffix(string(data), "\n") {
		return false, nil
	}
	next := kuma.Resource{Type: kinds.GlobalSecret.Name, Name: r.revocations().Name, Labels: stored.Labels, Body: map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(text))}}
	if missing {
		_, err = secrets.Create(ctx, next)
	} else {
		_, err = secrets.Replace(ctx, store.Update{Resource: next, Fingerprint: secrets.Fingerprint(stored)})
	}
	return len(list) > before, err
}
