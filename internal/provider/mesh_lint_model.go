package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// lintModel is what the data source and the function return.
type lintModel struct {
	Findings      []findingModel   `tfsdk:"findings"`
	Omitted       types.Int64      `tfsdk:"findings_omitted"`
	Counts        map[string]int64 `tfsdk:"counts"`
	CountsPerCode map[string]int64 `tfsdk:"counts_per_code"`
	Summary       types.String     `tfsdk:"summary"`
}

// maxFindings is how many findings of each code a data source keeps in the state,
// unless it is asked for all.
const maxFindings = 50

// lintFindings returns what is wrong in a mesh, on request also with a view to Kuma 3.0.
func lintFindings(s *rules.Snapshot, meshName string, kuma3 bool) []lint.Finding {
	findings := lint.Mesh(s, meshName)
	if kuma3 {
		findings = append(findings, lint.Kuma3(s, meshName)...)
	}
	return findings
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

// show fills the model with counts and summary of all findings, and with those that
// are kept.
func (m *lintModel) show(meshName string, findings, kept []lint.Finding, resources []kuma.Resource) {
	byKey := map[kuma.Key]kuma.Resource{}
	for _, r := range resources {
		byKey[r.Key()] = r
	}
	m.Findings = each(kept, func(f lint.Finding) findingModel {
		return findingModel{
			Code: f.Code, Severity: string(f.Severity), Resource: stringOrNull(kinds.KRI(byKey[f.Resource].ID())),
			Type: f.Resource.Type, Name: f.Resource.Name, Path: f.Path.String(), Message: f.Message, Suggestion: f.Suggestion,
		}
	})
	m.Omitted = types.Int64Value(int64(len(findings) - len(kept)))
	m.Counts, m.CountsPerCode = map[string]int64{}, map[string]int64{}
	for s, n := range lint.Count(findings) {
		m.Counts[string(s)] = int64(n)
	}
	for code, n := range lint.CountCodes(findings) {
		m.CountsPerCode[code] = int64(n)
	}
	m.Summary = types.StringValue(lint.Summary(meshName, findings))
}

// lintAttributes are those of [lintModel].
func lintAttributes() map[string]schema.Attribute {
	text := computedText
	return map[string]schema.Attribute{
		"findings": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The findings: errors first, then by code and resource. Findings about Kuma 3.0 come last: first what widens the reach of a policy, then what weakens security, what breaks, what changes and what is cosmetic.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"code":       text("Kind of finding. Codes do not change."),
				"severity":   text("`error`: traffic does not get what the document says. `warning`: something has no effect or an unexpected one. `info`: nothing is wrong yet."),
				"resource":   text("Identifier (KRI) of the resource to change; null for kinds that have none."),
				"type":       text("Kind of the resource."),
				"name":       text("Name of the resource."),
				"path":       text("Place in its document, such as `spec.to[0].targetRef`; empty for the whole."),
				"message":    text("What was found, and what it means for traffic."),
				"suggestion": text("What to do about it."),
			}},
		},
		"findings_omitted": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of findings that are counted and not part of `findings`."},
		"counts":           schema.MapAttribute{Computed: true, ElementType: types.Int64Type, MarkdownDescription: "Number of all findings by severity: `error`, `warning` and `info`."},
		"counts_per_code":  schema.MapAttribute{Computed: true, ElementType: types.Int64Type, MarkdownDescription: "Number of all findings by code, for each code that is found."},
		"summary":          text("Text for people: the number of findings and, for each code, where something was found and what to do. Of many findings of a code it describes those that concern the most proxies."),
	}
}
