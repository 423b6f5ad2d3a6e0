package provider

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// tokenResources are the constructors of the ephemeral resources.
func tokenResources() []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		func() ephemeral.EphemeralResource { return &tokenResource[dataplaneToken]{kind: dataplaneTokens()} },
		func() ephemeral.EphemeralResource { return &tokenResource[userToken]{kind: userTokens()} },
		func() ephemeral.EphemeralResource { return &tokenResource[zoneToken]{kind: zoneTokens()} },
	}
}

const (
	tokenNote = " A new token is issued whenever Terraform plans or applies, and none is kept in the plan or in the state: " +
		"pass it on to a write-only argument or to a provider. Only administrators may issue tokens. " +
		"Tokens of the embedded control plane are for tests only: no other control plane accepts them, and so no real proxy can use them."
	validForDoc = "How long the token is valid, such as `24h` or `30m`; the largest unit is the hour."
)

type dataplaneToken struct {
	Mesh     types.String        `tfsdk:"mesh"`
	Name     types.String        `tfsdk:"name"`
	Type     types.String        `tfsdk:"type"`
	Tags     map[string][]string `tfsdk:"tags"`
	Workload types.String        `tfsdk:"workload"`
	ValidFor types.String        `tfsdk:"valid_for"`
	Token    types.String        `tfsdk:"token"`
}

func dataplaneTokens() tokenKind[dataplaneToken] {
	return tokenKind[dataplaneToken]{
		typeName: "kuma_dataplane_token",
		doc: "Issues a token with which a proxy proves to the control plane who it is. What is set here must be true of its Dataplane." + tokenNote +
			" The mesh must exist when the token is issued: where the same configuration creates it, take its name from what is known only then, as the example does.",
		attributes: tokenAttributes(map[string]schema.Attribute{
			"mesh":     schema.StringAttribute{Required: true, Validators: []validator.String{resourceName}, MarkdownDescription: "Name of the mesh of the proxy."},
			"name":     schema.StringAttribute{Optional: true, Validators: []validator.String{resourceName}, MarkdownDescription: "Name of the Dataplane. The token is good for any when unset."},
			"type":     schema.StringAttribute{Optional: true, Validators: []validator.String{oneOf("dataplane", "ingress", "egress")}, MarkdownDescription: "Type of the proxy: `dataplane`, `ingress` or `egress`. The token is good for a `dataplane` when unset."},
			"tags":     schema.MapAttribute{Optional: true, ElementType: types.ListType{ElemType: types.StringType}, MarkdownDescription: "Values that the Dataplane may have, by tag. It must have each of these tags, and no other value for it. Tags do not matter when unset."},
			"workload": schema.StringAttribute{Optional: true, Validators: []validator.String{resourceName}, MarkdownDescription: "Name of the workload of the Dataplane, which is its label `kuma.io/workload`. It does not matter when unset. Since Kuma " + kinds.Workload.Since + "."},
		}, schema.StringAttribute{Optional: true, MarkdownDescription: validForDoc + " Defaults to ten years."}),
		request: func(c dataplaneToken) controlplane.TokenRequest {
			return controlplane.DataplaneToken{
				Mesh: c.Mesh.ValueString(), Name: c.Name.ValueString(), Type: c.Type.ValueString(), Tags: c.Tags,
				Workload: c.Workload.ValueString(), ValidFor: c.ValidFor.ValueString(),
			}
		},
		kinds: func(c dataplaneToken) map[string]def.Kind {
			if c.Workload.IsNull() {
				return nil
			}
			return map[string]def.Kind{"workload": kinds.Workload}
		},
	}
}

type zoneToken struct {
	Zone     types.String `tfsdk:"zone"`
	Scope    []string     `tfsdk:"scope"`
	ValidFor types.String `tfsdk:"valid_for"`
	Token    types.String `tfsdk:"token"`
}

func zoneTokens() tokenKind[zoneToken] {
	return tokenKind[zoneToken]{
		typeName: "kuma_zone_token",
		doc:      "Issues a token with which the control plane of a zone, or an ingress or egress in it, proves to which zone it belongs. A zone under a global control plane has its tokens issued there." + tokenNote,
		attributes: tokenAttributes(map[string]schema.Attribute{
			"zone":  schema.StringAttribute{Required: true, Validators: []validator.String{resourceName}, MarkdownDescription: "Name of the zone."},
			"scope": schema.ListAttribute{Required: true, ElementType: types.StringType, Validators: []validator.List{scopeValidator{}}, MarkdownDescription: "What the token is for: `cp`, the control plane of the zone, `ingress` and `egress`."},
		}, schema.StringAttribute{Optional: true, MarkdownDescription: validForDoc + " Defaults to ten years."}),
		request: func(c zoneToken) controlplane.TokenRequest {
			return controlplane.ZoneToken{Zone: c.Zone.ValueString(), Scope: c.Scope, ValidFor: c.ValidFor.ValueString()}
		},
	}
}

type userToken struct {
	Name     types.String `tfsdk:"name"`
	Groups   []string     `tfsdk:"groups"`
	ValidFor types.String `tfsdk:"valid_for"`
	Token    types.String `tfsdk:"token"`
}

func userTokens() tokenKind[userToken] {
	return tokenKind[userToken]{
		typeName: "kuma_user_token",
		doc:      "Issues a token for a user of the control plane's API, such as another provider or `kumactl`." + tokenNote,
		attributes: tokenAttributes(map[string]schema.Attribute{
			"name":   schema.StringAttribute{Required: true, Validators: []validator.String{notEmpty}, MarkdownDescription: "Name of the user."},
			"groups": schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Groups of the user. Members of `mesh-system:admin` may do everything. The user is in no group when unset."},
		}, schema.StringAttribute{Required: true, MarkdownDescription: validForDoc}),
		request: func(c userToken) controlplane.TokenRequest {
			return controlplane.UserToken{Name: c.Name.ValueString(), Groups: c.Groups, ValidFor: c.ValidFor.ValueString()}
		},
	}
}

// tokenAttributes adds what all kinds of tokens have.
func tokenAttributes(own map[string]schema.Attribute, validFor schema.StringAttribute) map[string]schema.Attribute {
	all := maps.Clone(own)
	validFor.Validators = []validator.String{positiveDuration}
	all["valid_for"] = validFor
	all["token"] = schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "The token, a signed JSON Web Token."}
	return all
}
