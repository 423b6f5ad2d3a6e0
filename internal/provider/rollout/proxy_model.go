package rollout

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// proxyModel is the state of one proxy.
type proxyModel struct {
	Type            string            `tfsdk:"type"`
	Mesh            types.String      `tfsdk:"mesh"`
	Name            string            `tfsdk:"name"`
	Zone            types.String      `tfsdk:"zone"`
	Status          string            `tfsdk:"status"`
	Connected       bool              `tfsdk:"connected"`
	Since           types.String      `tfsdk:"since"`
	Instance        types.String      `tfsdk:"control_plane_instance"`
	KumaDP          types.String      `tfsdk:"kuma_dp_version"`
	Envoy           types.String      `tfsdk:"envoy_version"`
	Supported       types.Bool        `tfsdk:"version_supported"`
	Features        []string          `tfsdk:"features"`
	MissingFeatures []string          `tfsdk:"missing_kuma3_features"`
	UnreadyInbounds []string          `tfsdk:"unready_inbounds"`
	OwnsDataplane   bool              `tfsdk:"owns_dataplane"`
	Responses       *responsesModel   `tfsdk:"responses"`
	Certificate     *certificateModel `tfsdk:"certificate"`
}

type responsesModel struct {
	Sent          int64        `tfsdk:"sent"`
	Acknowledged  int64        `tfsdk:"acknowledged"`
	Rejected      int64        `tfsdk:"rejected"`
	Pending       int64        `tfsdk:"pending"`
	RejectedTypes []string     `tfsdk:"rejected_types"`
	Updated       types.String `tfsdk:"updated"`
}

type certificateModel struct {
	Issuer           types.String `tfsdk:"issuer"`
	Expires          types.String `tfsdk:"expires"`
	Regenerations    int64        `tfsdk:"regenerations"`
	LastRegeneration types.String `tfsdk:"last_regeneration"`
	Supported        []string     `tfsdk:"supported_backends"`
}

type versionModel struct {
	KumaDP    types.String `tfsdk:"kuma_dp"`
	Envoy     types.String `tfsdk:"envoy"`
	Supported bool         `tfsdk:"supported"`
	Count     int64        `tfsdk:"count"`
}

func newVersionModel(v rollout.Version) versionModel {
	return versionModel{tfvalue.OptionalString(v.KumaDP), tfvalue.OptionalString(v.Envoy), !v.Incompatible, int64(v.Proxies)}
}

// list returns a list that is not null.
func list(words []string) []string { return append([]string{}, words...) }

// optionalTime returns null for the zero time.
func optionalTime(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(rollout.Time(t))
}

func newProxyModel(p rollout.Proxy) proxyModel {
	text := tfvalue.OptionalString
	out := proxyModel{
		Type: p.Type, Mesh: text(p.Mesh), Name: p.Name, Zone: text(p.Zone), Status: string(p.Status), Connected: p.Connected,
		Since:    optionalTime(p.Since),
		Instance: text(p.ControlPlaneInstance), KumaDP: text(p.KumaDP), Envoy: text(p.Envoy), Features: list(p.Features),
		MissingFeatures: p.Required3(), UnreadyInbounds: list(p.UnreadyInbounds), OwnsDataplane: p.OwnsDataplane,
	}
	if p.KumaDP != "" || p.Envoy != "" {
		out.Supported = types.BoolValue(!p.Incompatible)
	}
	if !p.Since.IsZero() {
		n := p.Responses.Total
		out.Responses = &responsesModel{
			n.Sent, n.Acknowledged, n.Rejected, n.Pending(), list(p.Responses.RejectedTypes()),
			optionalTime(p.Responses.Updated),
		}
	}
	if c := p.Certificate; c != nil {
		out.Certificate = &certificateModel{
			text(c.Issuer), optionalTime(c.Expires), c.Regenerations, optionalTime(c.LastRegeneration),
			list(c.SupportedBackends),
		}
	}
	return out
}

func proxyAttributes() map[string]schema.Attribute {
	text, texts, number := tfschema.ComputedText, tfschema.ComputedTexts, tfschema.ComputedNumber
	truth := func(doc string) schema.Attribute {
		return schema.BoolAttribute{Computed: true, MarkdownDescription: doc}
	}
	return map[string]schema.Attribute{
		"type": text("Kind of the resource: `Dataplane`, `ZoneIngress` or `ZoneEgress`."),
		"mesh": text("Mesh of the proxy. Null for zone ingresses and zone egresses."),
		"name": text("Name of the resource."),
		"zone": text("Zone of the proxy."),
		"status": text(
			"`online`; `partially_degraded`: the proxy is connected, but some of its inbounds are not ready; `offline`: " +
				"it is not connected, or none of its inbounds is ready; or `unknown`: " +
				"its zone is not connected to the global control plane, and all other attributes are those that the zone has sent last."),
		"connected": truth(
			"Whether the proxy is connected to a control plane. An application that is not ready does not matter here."),
		"since": text(
			"When the proxy connected or, if it is not connected, when it disconnected, in RFC 3339 format. Null if it has never connected."),
		"control_plane_instance": text("Instance of the control plane that the proxy is or was connected to. Null if it has never connected."),
		"kuma_dp_version":        text("Version of kuma-dp. Null if the proxy has never connected."),
		"envoy_version":          text("Version of Envoy. Null if the proxy has never connected."),
		"version_supported":      truth("Whether the control plane supports these versions. Null if the proxy has never connected."),
		"features":               texts("Features that kuma-dp announced."),
		"missing_kuma3_features": texts(
			"Features that Kuma 3.0 requires and that the proxy has not announced: upgrade or configure its kuma-dp before the control plane. " +
				"Null if the proxy is not connected."),
		"unready_inbounds": texts("Inbounds that are not ready: their names, or their ports if they have no name."),
		"owns_dataplane": truth(
			"Whether kuma-dp was started with the Dataplane in a file. " +
				"[Terraform should not manage such a Dataplane](../guides/universal-mesh.md#manage-dataplanes-with-terraform-or-kuma-dp)."),
		"responses": tfschema.ComputedObject(
			"Configurations that the control plane has sent since the proxy connected. Null if it has never connected.", map[string]schema.Attribute{
				"sent":         number("Number of responses, including those with endpoints and certificates."),
				"acknowledged": number("Number of responses that the proxy accepted."),
				"rejected": number(
					"Number of responses that the proxy rejected. It keeps the configuration that it had before. " +
						"The reason is in the log of the control plane."),
				"pending":        number("Number of responses that the proxy has not answered."),
				"rejected_types": texts("Types of the rejected responses: `cds` (clusters), `eds` (endpoints), `lds` (listeners) or `rds` (routes)."),
				"updated":        text("When a response was last sent or answered, in RFC 3339 format."),
			}),
		"certificate": tfschema.ComputedObject("Certificate with which the proxy identifies itself. Null if it has none.",
			map[string]schema.Attribute{
				"issuer":             text("Backend of the mesh that issued it, or identifier (KRI) of the MeshIdentity."),
				"expires":            text("When it expires, in RFC 3339 format."),
				"regenerations":      number("How many certificates the proxy has received."),
				"last_regeneration":  text("When the proxy received it, in RFC 3339 format."),
				"supported_backends": texts("Authorities that the proxy trusts: backends of the mesh, or identifiers (KRIs) of MeshTrusts."),
			}),
	}
}
