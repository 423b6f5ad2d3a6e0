package token

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
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

const tokenNote = " Every plan and apply issues a new token, which is stored neither in the plan nor in the state: " +
	"pass it to a write-only argument or to a provider. Only administrators may issue tokens. " +
	"Tokens of the embedded control plane are for tests only: no other control plane accepts them."

// issuedModel contains the attributes of a token that was issued.
type issuedModel struct {
	Token   types.String `tfsdk:"token" schema:"computed,sensitive"`
	ID      types.String `tfsdk:"id" schema:"computed"`
	Expires types.String `tfsdk:"expires" schema:"computed"`
}

type dataplaneToken struct {
	Mesh     types.String        `tfsdk:"mesh" schema:"required"`
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
		validators: tfschema.Validators{
			"mesh": resourceName, "name": resourceName, "workload": resourceName, "type": tfschema.OneOf("dataplane", "ingress", "egress"),
			"tags": restriction{}, "valid_for": positiveDuration,
		},
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
	Zone     types.String `tfsdk:"zone" schema:"required"`
	Scope    []string     `tfsdk:"scope" schema:"list"`
	ValidFor types.String `tfsdk:"valid_for"`
	issuedModel
}

func zoneTokens() tokenKind[zoneToken] {
	return tokenKind[zoneToken]{
		typeName: "kuma_zone_token",
		doc: "Issues a token that authenticates a zone control plane, or a zone ingress or egress, as a member of its zone. " +
			"For a zone of a global control plane, issue it on the global control plane." + tokenNote,
		validators: tfschema.Validators{"zone": resourceName, "scope": scopeValidator{}, "valid_for": positiveDuration},
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
	Name     types.String `tfsdk:"name" schema:"required"`
	Groups   []string     `tfsdk:"groups" schema:"list"`
	ValidFor types.String `tfsdk:"valid_for" schema:"required"`
	issuedModel
}

func userTokens() tokenKind[userToken] {
	return tokenKind[userToken]{
		typeName:   "kuma_user_token",
		doc:        "Issues a token for a user of the control plane's API, such as another provider or `kumactl`." + tokenNote,
		validators: tfschema.Validators{"name": notEmpty, "groups": restriction{}, "valid_for": positiveDuration},
		request: func(c userToken) controlplane.TokenRequest {
			return controlplane.UserToken{Name: c.Name.ValueString(), Groups: c.Groups, ValidFor: c.ValidFor.ValueString()}
		},
	}
}
