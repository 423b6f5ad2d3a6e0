package analysis

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

func defaultSettingsAttribute() schema.Attribute {
	return tfschema.ComputedList("Timeouts and retries that the proxy has although no policy sets them, which are defaults of the control plane or of Envoy: for each port of a MeshService, MeshExternalService or MeshMultiZoneService that the proxy reaches, and for each of its inbounds. A zone egress has them for each MeshExternalService. "+
		"With `destination`, only those for it. Null unless `defaults` is true.", map[string]schema.Attribute{
		"type":    tfschema.ComputedText("Kind of policy that can set it: MeshTimeout or MeshRetry."),
		"kri":     tfschema.ComputedText("Identifier of the port of the service for outgoing requests that no rule of a route takes. Null for an inbound, except of a zone egress."),
		"port":    tfschema.ComputedNumber("Port of the inbound. Null for outgoing requests."),
		"inbound": tfschema.ComputedText("Name of the inbound, if it has one."),
		"path":    tfschema.ComputedText("Path of the setting in the conf, such as `http.requestTimeout`."),
		"source":  tfschema.ComputedText("Where it comes from: `default of the control plane` or `default of Envoy`."),
		"value":   tfschema.ComputedText("The value as JSON, such as `\"15s\"`; `\"0s\"` for no limit. Conditions of retries have the names of Envoy, as in `kuma_request`."),
	})
}

// Defaults returns the settings of a proxy that no policy of some kinds sets, all kinds if
// there are none, and for some destinations only if there is one.
func Defaults(s *rules.Snapshot, a rules.Answer, kinds []string, to *rules.Destination) ([]request.Default, error) {
	all, err := request.New(s).Defaults(a.Resource.Mesh, a.Resource.Name)
	return slices.DeleteFunc(all, func(d request.Default) bool {
		elsewhere := to != nil && (d.To.Resource != to.Resource || to.Section != "" && d.To.Section != to.Section)
		return elsewhere || len(kinds) > 0 && !slices.Contains(kinds, d.Kind)
	}), err
}

// DefaultSettings converts defaults into elements of the attribute.
func (e *Encoder) DefaultSettings(all []request.Default) []any {
	return each(all, func(d request.Default) any {
		out := map[string]any{"type": d.Kind, "path": d.Path, "value": e.JSON(d.Value), "source": string(d.Origin)}
		if d.To.Number != 0 {
			out["kri"] = portKRI(d.To)
		}
		if d.Inbound.Port == 0 {
			return out
		}
		out["port"] = d.Inbound.Port
		if d.Inbound.Name != "" {
			out["inbound"] = d.Inbound.Name
		}
		return out
	})
}

// WithDefaults adds defaults to an explanation.
func WithDefaults(explanation string, all []request.Default) string {
	if text := request.DefaultsText(all); text != "" {
		return explanation + "\n" + text
	}
	return explanation
}

// addDefaults adds the defaults to the answer.
func (m *effectiveRulesModel) addDefaults(s *rules.Snapshot, a rules.Answer, kinds []string, to *rules.Destination) error {
	all, err := Defaults(s, a, kinds, to)
	if err != nil {
		return err
	}
	e := Encoder{}
	m.long["default_settings"] = e.DefaultSettings(all)
	m.Explanation = types.StringValue(WithDefaults(m.Explanation.ValueString(), all))
	return e.Err
}
