package analysis

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// LintModel is what the data source and the function return.
type LintModel struct {
	Findings      []findingModel   `tfsdk:"findings"`
	Omitted       types.Int64      `tfsdk:"findings_omitted"`
	Counts        map[string]int64 `tfsdk:"counts"`
	CountsPerCode map[string]int64 `tfsdk:"counts_per_code"`
	Summary       types.String     `tfsdk:"summary"`
}

// maxFindings is the maximum number of findings of each code that a data source keeps
// in the state, unless the argument complete is set.
const maxFindings = 50

// LintFindings returns the findings in a mesh as a release reads it, with those about Kuma
// 3.0 in what is stored, unless that is nil.
func LintFindings(read, stored *rules.Snapshot, meshName string) []lint.Finding {
	findings := lint.Mesh(read, meshName)
	if stored != nil {
		findings = append(findings, lint.Kuma3(stored, meshName)...)
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

// Show sets the counts and the summary of all findings, and the list of those to keep.
func (m *LintModel) Show(meshName string, findings, kept []lint.Finding, resources []kuma.Resource) {
	byKey := map[kuma.Key]kuma.Resource{}
	dataplanes := 0
	for _, r := range resources {
		byKey[r.Key()] = r
		if r.Type == kuma.KindDataplane && r.Mesh == meshName {
			dataplanes++
		}
	}
	m.Findings = each(kept, func(f lint.Finding) findingModel {
		return findingModel{
			Code: f.Code, Severity: string(f.Severity), Resource: tfvalue.OptionalString(kinds.KRI(byKey[f.Resource].ID())),
			Type: f.Resource.Type, Name: f.Resource.Name, Path: f.Path.String(), Message: strings.TrimSpace(f.Message + " " + f.Detail), Suggestion: strings.TrimSpace(f.Suggestion + " " + f.Here),
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
	m.Summary = types.StringValue(lint.Summary(meshName, findings, dataplanes))
}

// LintAttributes returns the attributes of [LintModel].
func LintAttributes() map[string]schema.Attribute {
	text := tfschema.ComputedText
	return map[string]schema.Attribute{
		"findings": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: describe("mesh_lint.findings"),
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"code":       text("Code of the finding, such as `dangling-target`. Codes do not change."),
				"severity":   text("`error`: traffic is not handled as the document specifies. `warning`: something has no effect or an unexpected one. `info`: nothing is wrong yet."),
				"resource":   text("Identifier (KRI) of the resource to change; null for kinds without one."),
				"type":       text("Kind of the resource."),
				"name":       text("Name of the resource."),
				"path":       text("Path in the document, such as `spec.to[0].targetRef`; empty if the finding concerns the whole document."),
				"message":    text("What is wrong, and how it affects traffic."),
				"suggestion": text("What to do about it."),
			}},
		},
		"findings_omitted": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of findings that are counted but not included in `findings`."},
		"counts":           schema.MapAttribute{Computed: true, ElementType: types.Int64Type, MarkdownDescription: "Number of findings by severity: `error`, `warning` and `info`."},
		"counts_per_code":  schema.MapAttribute{Computed: true, ElementType: types.Int64Type, MarkdownDescription: "Number of findings by code. Codes without findings are omitted."},
		"summary":          text("Human-readable summary: the number of findings and, for each code, the affected resources, the message and the suggestion. If a code has many findings, it describes those that affect the most proxies."),
	}
}
