package token

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// Resources returns the constructors of the ephemeral resources.
func Resources() []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		func() ephemeral.EphemeralResource { return &tokenResource[dataplaneToken]{kind: dataplaneTokens()} },
		func() ephemeral.EphemeralResource { return &tokenResource[userToken]{kind: userTokens()} },
		func() ephemeral.EphemeralResource { return &tokenResource[zoneToken]{kind: zoneTokens()} },
	}
}

const (
	tokenNote = " Every plan and apply issues a new token, which is stored neither in the plan nor in the state: " +
		"pass it to a write-only argument or to a provider. Only administrators may issue tokens. " +
		"Tokens of the embedded control plane are for tests only: no other control plane accepts them."
	validForDoc = "Validity period of the token, such as `24h` or `30m`. The largest unit is the hour."
)

// issuedModel contains the attributes of a token that was issued.
type issuedModel struct {
	Token   types.String `tfsdk:"token"`
	ID      types.String `tfsdk:"id"`
	Expires types.String `tfsdk:"expires"`
}

type dataplaneToken struct {
	Mesh     types.String        `tfsdk:"mesh"`
	Name     types.String        `tfsdk:"name"`
	Type     types.String        `tfsdk:"type"`
	Tags     map[string][]string `tfsdk:"tags"`
	Workload types.String        `tfsdk:"workload"`
	ValidFor types.String        `tfsdk:"valid_for"`
	issuedModel
}

func dataplaneTokens() tokenKind[dataplaneToken] {
	return tokenKind[dataplaneToken]{
		typeName: "kuma_dataplane_token",
		doc: "Issues a token that authenticates a proxy to the control plane. The Dataplane of the proxy must match the arguments." + tokenNote +
			" The mesh must exist when the token is issued: " +
			"if the same configuration creates it, refer to an attribute that is known only after that, as the example does.",
		attributes: tokenAttributes(map[string]schema.Attribute{
			"mesh": schema.StringAttribute{
				Required: true, Validators: []validator.String{resourceName},
				MarkdownDescription: "Name of the mesh of the proxy.",
			},
			"name": schema.StringAttribute{
				Optional: true, Validators: []validator.String{resourceName},
				MarkdownDescription: "Name of the Dataplane. If unset, the token is valid for any Dataplane of the mesh.",
			},
			"type": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tfschema.OneOf("dataplane", "ingress", "egress")},
				MarkdownDescription: describe("kinds.type"),
			},
			"tags": schema.MapAttribute{
				Optional: true, ElementType: types.ListType{ElemType: types.StringType},
				Validators: []validator.Map{restriction{}}, MarkdownDescription: describe("kinds.tags"),
			},
			"workload": schema.StringAttribute{
				Optional: true, Validators: []validator.String{resourceName},
				MarkdownDescription: "Name of the workload of the Dataplane, which is its label `kuma.io/workload`. " +
					"If unset, workloads are not restricted. Since Kuma " + kinds.Workload.Since + ".",
			},
		}, schema.StringAttribute{Optional: true, MarkdownDescription: validForDoc + " Defaults to ten years."}),
		request: func(c dataplaneToken) controlplane.TokenRequest {
			return controlplane.DataplaneToken{
				Mesh: c.Mesh.ValueString(), Name: c.Name.ValueString(), Type: c.Type.ValueString(), Tags: c.Tags,
				Workload: c.Workload.ValueString(), ValidFor: c.ValidFor.ValueString(),
			}
		},
		rejected: rejectedOfDataplane,
	}
}

func rejectedOfDataplane(c dataplaneToken, cp store.Capabilities) map[string]string {
	rejected := map[string]string{}
	if k := kinds.Workload; !c.Workload.IsNull() && !cp.Has(k) {
		rejected["workload"] = fmt.Sprintf(
			"The control plane does not support %[1]s, and would ignore the argument and issue a token without that restriction. "+
				"Kuma supports %[1]s since %[2]s. Upgrade the control plane, or remove the argument.", k.Name, k.Since)
	}
	if !cp.ControlPlane.Release.Kuma3() {
		return rejected
	}
	if proxy := c.Type.ValueString(); proxy != "" && proxy != "dataplane" {
		rejected["type"] = fmt.Sprintf(
			"Since Kuma 3.0 a zone proxy is a Dataplane with listeners, and the control plane issues no tokens of type %q. Remove the argument.",
			proxy)
	}
	if _, ok := c.Tags[kuma.TagService]; ok {
		rejected["tags"] = "Since Kuma 3.0 tags are compared with the labels of the Dataplane, which cannot have the label kuma.io/service, so " +
			"no proxy could use the token. Use workload, or labels that the Dataplane has."
	}
	return rejected
}

type zoneToken struct {
	Zone     types.String `tfsdk:"zone"`
	Scope    []string     `tfsdk:"scope"`
	ValidFor types.String `tfsdk:"valid_for"`
	issuedModel
}

func zoneTokens() tokenKind[zoneToken] {
	return tokenKind[zoneToken]{
		typeName: "kuma_zone_token",
		doc: "Issues a token that authenticates a zone control plane, or a zone ingress or egress, as a member of its zone. " +
			"For a zone of a global control plane, issue it on the global control plane." + tokenNote,
		attributes: tokenAttributes(map[string]schema.Attribute{
			"zone": schema.StringAttribute{Required: true, Validators: []validator.String{resourceName}, MarkdownDescription: "Name of the zone."},
			"scope": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				Validators: []validator.List{restriction{}, scopeValidator{}}, MarkdownDescription: describe("kinds.scope"),
			},
		}, schema.StringAttribute{Optional: true, MarkdownDescription: validForDoc + " Defaults to ten years."}),
		request: func(c zoneToken) controlplane.TokenRequest {
			return controlplane.ZoneToken{Zone: c.Zone.ValueString(), Scope: c.Scope, ValidFor: c.ValidFor.ValueString()}
		},
		rejected: func(c zoneToken, cp store.Capabilities) map[string]string {
			switch kuma3 := cp.ControlPlane.Release.Kuma3(); {
			case kuma3 && c.Scope != nil:
				return map[string]string{"scope": "Since Kuma 3.0 the token of a zone has no scope: " +
					"it is for its control plane, and zone proxies use tokens of Dataplanes. Remove the argument."}
			case !kuma3 && c.Scope == nil:
				return map[string]string{"scope": "Before Kuma 3.0 the token of a zone must have a scope. " +
					"Set it to one or more of cp, ingress and egress."}
			}
			return nil
		},
	}
}

type userToken struct {
	Name     types.String `tfsdk:"name"`
	Groups   []string     `tfsdk:"groups"`
	ValidFor types.String `tfsdk:"valid_for"`
	issuedModel
}

func userTokens() tokenKind[userToken] {
	return tokenKind[userToken]{
		typeName: "kuma_user_token",
		doc:      "Issues a token for a user of the control plane's API, such as another provider or `kumactl`." + tokenNote,
		attributes: tokenAttributes(map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{notEmpty}, MarkdownDescription: "Name of the user."},
			"groups": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, Validators: []validator.List{restriction{}},
				MarkdownDescription: "Groups of the user. Members of `mesh-system:admin` have all permissions. If set, must not be empty. " +
					"Defaults to no group.",
			},
		}, schema.StringAttribute{Required: true, MarkdownDescription: validForDoc}),
		request: func(c userToken) controlplane.TokenRequest {
			return controlplane.UserToken{Name: c.Name.ValueString(), Groups: c.Groups, ValidFor: c.ValidFor.ValueString()}
		},
	}
}

// tokenAttributes adds the attributes that all kinds of tokens share.
func tokenAttributes(own map[string]schema.Attribute, validFor schema.StringAttribute) map[string]schema.Attribute {
	all := maps.Clone(own)
	validFor.Validators = []validator.String{positiveDuration}
	all["valid_for"] = validFor
	all["token"] = schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "The token, a signed JSON Web Token."}
	all["id"] = schema.StringAttribute{Computed: true, MarkdownDescription: "Identifier of the token, with which it can be revoked."}
	all["expires"] = schema.StringAttribute{Computed: true, MarkdownDescription: "When the token expires, in RFC 3339 format."}
	return all
}
