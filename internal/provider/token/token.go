package token

import (
	"context"
	_ "embed"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// tokenKind describes a kind of token. C is the configuration of its ephemeral
// resource, with a field for every attribute.
type tokenKind[C any] struct {
	typeName   string
	doc        string
	validators tfschema.Validators
	request    func(C) controlplane.TokenRequest
	// rejected returns what is wrong with the arguments for a control plane, by name of
	// the argument: it would issue a token that lacks a restriction, or that is useless.
	rejected func(C, store.Capabilities) map[string]string
}

// tokenResource is the ephemeral resource of one kind of token. Every opening issues a
// new token, which is not stored.
type tokenResource[C any] struct {
	kind tokenKind[C]
	cp   *connection.Connection
}

var (
	_ ephemeral.EphemeralResource              = (*tokenResource[dataplaneToken])(nil)
	_ ephemeral.EphemeralResourceWithConfigure = (*tokenResource[dataplaneToken])(nil)
)

func (r *tokenResource[C]) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = r.kind.typeName
}

func (r *tokenResource[C]) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	attributes, _ := report.Schema[C, schema.Attribute, schema.Block](r.kind.validators)
	resp.Schema = schema.Schema{MarkdownDescription: r.kind.doc, Attributes: attributes}
}

func (r *tokenResource[C]) Configure(_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse) {
	r.cp, _ = req.ProviderData.(*connection.Connection)
}

func (r *tokenResource[C]) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	r.validate(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	var config C
	if !report.Arguments(ctx, req.Config, &config, &resp.Diagnostics) || !r.cp.Ready(&resp.Diagnostics) {
		return
	}
	if r.kind.rejected != nil {
		for argument, detail := range r.kind.rejected(config, r.cp.Capabilities()) {
			resp.Diagnostics.AddAttributeError(path.Root(argument), "Argument does not match the release", detail)
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	request := r.kind.request(config)
	token, err := r.cp.Store.Client().IssueToken(ctx, request)
	if err != nil {
		_, inMesh := request.(controlplane.DataplaneToken)
		reportToken(&resp.Diagnostics, inMesh, err)
		return
	}
	claims, err := controlplane.ReadToken(token)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the token", phrase.Sentence(err))
		return
	}
	for name, value := range map[string]string{"token": token, "id": claims.ID, "expires": claims.Expires.Format(time.RFC3339)} {
		resp.Diagnostics.Append(resp.Result.SetAttribute(ctx, path.Root(name), value)...)
	}
}

// validate reports errors in the arguments again: OpenTofu does not validate those that are
// not known until apply.
func (r *tokenResource[C]) validate(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(r.kind.validators)) {
		at, v := path.Root(name), r.kind.validators[name]
		var value attr.Value
		found := config.GetAttribute(ctx, at, &value)
		switch value := value.(type) {
		case types.String:
			if v, ok := v.(tfschema.StringValidator); ok {
				v.Check(at, value, &found)
			}
		case types.List:
			if v, ok := v.(validator.List); ok {
				var resp validator.ListResponse
				v.ValidateList(ctx, validator.ListRequest{Path: at, ConfigValue: value}, &resp)
				found.Append(resp.Diagnostics...)
			}
		case types.Map:
			if v, ok := v.(validator.Map); ok {
				var resp validator.MapResponse
				v.ValidateMap(ctx, validator.MapRequest{Path: at, ConfigValue: value}, &resp)
				found.Append(resp.Diagnostics...)
			}
		}
		diags.Append(found.Errors()...) // Terraform has shown the warnings
	}
}

// reportToken reports why no token was issued, on the attributes that the control
// plane names.
func reportToken(diags *diag.Diagnostics, inMesh bool, err error) {
	const summary = "Cannot issue the token"
	var unsigned *controlplane.SigningKeyError
	if errors.As(err, &unsigned) && inMesh {
		diags.AddAttributeError(path.Root("mesh"), summary,
			"There is no mesh with that name that has a key to sign tokens. Check the name, or create the mesh first. "+
				"If the same configuration creates it, refer to its name through a terraform_data resource, so that the token is issued afterwards.")
		return
	}
	var invalid *controlplane.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
		diags.AddError(summary, report.RequestDetail(err))
		return
	}
	for _, v := range invalid.Violations {
		diags.AddAttributeError(path.Root(tfschema.AttributeName(v.Field)), summary, "The control plane rejected "+
			tfschema.AttributeName(v.Field)+": "+v.Reason+".")
	}
}

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)
