package token

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
)

var (
	_ action.ActionWithConfigure      = (*rotateAction)(nil)
	_ action.ActionWithValidateConfig = (*rotateAction)(nil)
	_ action.ActionWithModifyPlan     = (*rotateAction)(nil)
)

// rotateAction creates a key that signs tokens from then on.
type rotateAction struct{ tokenAction }

type rotateModel struct {
	signerModel
	Keep types.Number `tfsdk:"keep_previous"` // an integer would make a fraction an error of the provider
}

func (*rotateAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("rotate_action"),
		Attributes: map[string]schema.Attribute{
			"type":          typeArgument("Type of the tokens that the key signs: `dataplane`, `user` or `zone`."),
			"mesh":          meshArgument("Mesh of the tokens. Required by the type `dataplane`."),
			"keep_previous": schema.NumberAttribute{Optional: true, MarkdownDescription: describe("rotate_action.keep_previous")},
		},
	}
}

// ValidateConfig implements [action.ActionWithValidateConfig].
func (*rotateAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var m rotateModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	m.validate(&resp.Diagnostics)
	m.kept(&resp.Diagnostics)
}

// kept returns how many previous keys to keep.
func (m rotateModel) kept(diags *diag.Diagnostics) int {
	if m.Keep.IsNull() || m.Keep.IsUnknown() {
		return math.MaxInt
	}
	n, accuracy := m.Keep.ValueBigFloat().Int64()
	if n < 0 || accuracy != big.Exact {
		diags.AddAttributeError(path.Root("keep_previous"), "Invalid number", fmt.Sprintf("The number of keys must be an integer that is not negative, not %s.", m.Keep.ValueBigFloat().Text('g', -1)))
		return math.MaxInt
	}
	return int(n)
}

// rotation is the new key, and those that are deleted.
type rotation struct {
	signer
	next    signingKey
	deleted []signingKey
}

// rotation reads the stored keys.
func (m rotateModel) rotation(ctx context.Context, in *store.Store, diags *diag.Diagnostics) rotation {
	r := rotation{signer: m.signer()}
	r.checkOwned(in, diags)
	keys, err := r.keys(ctx, in)
	if err != nil && !store.IsNotFound(err) { // the apply may create the mesh
		diags.AddError("Cannot read the signing keys", report.RequestDetail(err))
		return r
	}
	r.next = r.signingKey(1)
	if n := len(keys); n > 0 {
		r.next = r.signingKey(keys[n-1].serial + 1)
	}
	r.deleted = keys[:max(0, len(keys)-m.kept(diags))]
	return r
}

// ModifyPlan implements [action.ActionWithModifyPlan]: it says what the action cuts off.
func (a *rotateAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var m rotateModel
	if !a.planned(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	r := m.rotation(ctx, a.cp.Store, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || len(r.deleted) == 0 {
		return
	}
	proxies, err := r.connected(ctx, a.cp.Store)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the proxies", report.RequestDetail(err))
		return
	}
	resp.Diagnostics.AddWarning("Tokens will be rejected", r.rejected("will be")+proxies)
}

// rejected describes what the deletion of keys rejects.
func (r rotation) rejected(will string) string {
	names := make([]string, len(r.deleted))
	for i, k := range r.deleted {
		names[i] = k.key.Name
	}
	return fmt.Sprintf("All %s that %s has signed %s rejected. %s", r.signer, phrase.And(names...), will, r.effect())
}

func (a *rotateAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var m rotateModel
	if !a.invoked(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	r := m.rotation(ctx, a.cp.Store, &resp.Diagnostics)
	r.checkMesh(ctx, a.cp.Store, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	secrets := a.cp.Store.Resources(r.keyKind())
	key, err := newSigningKey(r.next.key)
	if err == nil {
		_, err = secrets.Create(ctx, key)
	}
	if err != nil {
		resp.Diagnostics.AddError("Cannot create the signing key", report.RequestDetail(err)+" No key was deleted.")
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf("%s signs %s from now on.", r.next.key.Name, r.signer)})
	for _, k := range r.deleted {
		if _, err := secrets.Delete(ctx, k.key, ""); err != nil {
			resp.Diagnostics.AddError("Cannot delete a signing key", fmt.Sprintf("%s Tokens that %s has signed are still valid. The new key signs already.", report.RequestDetail(err), k.key.Name))
			return
		}
	}
	if len(r.deleted) > 0 {
		resp.SendProgress(action.InvokeProgressEvent{Message: r.rejected("are")})
	}
}

// newSigningKey returns a secret with a new key.
func newSigningKey(key kuma.Key) (kuma.Resource, error) {
	const bits = 2048
	private, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		return kuma.Resource{}, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)})
	return kuma.Resource{Type: key.Type, Mesh: key.Mesh, Name: key.Name, Body: map[string]any{"data": base64.StdEncoding.EncodeToString(text)}}, nil
}
