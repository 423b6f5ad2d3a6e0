package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// lintModel is what the data source and the function tell.
type lintModel struct {
	Findings []findingModel   `tfsdk:"findings"`
	Counts   map[string]int64 `tfsdk:"counts"`
	Summary  types.String     `tfsdk:"summary"`
}

type findingModel struct {
	Code       string       `tfsdk:"code"`
	Severity   string       `tfsdk:"severity"`
	Resource   types.String `tfsdk:"resource"`
	Type       string       `tfsdk:"type"`
	Name       string       `tfsdk:"name"`
	Path       string       `tfsdk:"path"`
	Message    string       `tfsdk:"message"`
	Suggestion string       `tfsdk:"suggestion"`
}

// show fills the model.
func (m *lintModel) show(meshName string, findings []lint.Finding, resources []kuma.Resource) {
	byKey := map[kuma.Key]kuma.Resource{}
	for _, r := range resources {
		byKey[r.Key()] = r
	}
	m.Findings = each(findings, func(f lint.Finding) findingModel {
		return findingModel{
			Code: f.Code, Severity: string(f.Severity), Resource: stringOrNull(kinds.KRI(byKey[f.Resource].ID())),
			Type: f.Resource.Type, Name: f.Resource.Name, Path: f.Path.String(), Message: f.Message, Suggestion: f.Suggestion,
		}
	})
	m.Counts = map[string]int64{}
	for s, n := range lint.Count(findings) {
		m.Counts[string(s)] = int64(n)
	}
	m.Summary = types.StringValue(lint.Summary(meshName, findings))
}

// lintAttributes are those of [lintModel].
func lintAttributes() map[string]schema.Attribute {
	text := computedText
	return map[string]schema.Attribute{
		"findings": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "What was found: errors first, then by code and resource. What Kuma 3.0 will treat otherwise comes last: first what widens the reach of a policy, then what weakens security, what breaks, what changes and what is cosmetic.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"code":       text("Kind of finding. Codes do not change."),
				"severity":   text("`error`: traffic does not get what the document says. `warning`: something has no effect, or another one than it seems. `info`: nothing is wrong yet."),
				"resource":   text("Identifier (KRI) of the resource to change; null for kinds that have none."),
				"type":       text("Kind of the resource."),
				"name":       text("Name of the resource."),
				"path":       text("Place in its document, such as `spec.to[0].targetRef`; empty for the whole."),
				"message":    text("What was found, and what it means for traffic."),
				"suggestion": text("What to do about it."),
			}},
		},
		"counts":  schema.MapAttribute{Computed: true, ElementType: types.Int64Type, MarkdownDescription: "Number of findings by severity: `error`, `warning` and `info`."},
		"summary": text("The findings as a text for people: how many there are, and for each where it is and what to do."),
	}
}
