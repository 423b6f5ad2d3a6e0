package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
)

// meshLintDataSource reports errors and ineffective settings in a mesh.
type meshLintDataSource struct{ dataSource }

type lintArguments struct {
	analysisArguments
	Ignore   []string   `tfsdk:"ignore"`
	Kuma3    types.Bool `tfsdk:"kuma3"`
	Complete types.Bool `tfsdk:"complete"`
}

func (d *meshLintDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m lintArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	ignored := m.ignored(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	in := m.input(ctx, d.CP, d.TypeName, lint.Kinds(), req.Config.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !in.Exists() {
		in.reportMissingMesh()
		return
	}
	report.Write(ctx, req.Config, &resp.State, answer.OfLint(in.Mesh, m.Kuma3.ValueBool(), func(f lint.Finding) bool {
		return slices.ContainsFunc(ignored, func(i ignoredFinding) bool { return i.matches(f) })
	}, m.Complete.ValueBool()))
}

// ignoredFinding is an element of the argument ignore, such as "deprecated",
// "dangling-*" or "deprecated:MeshTimeout/web".
type ignoredFinding struct {
	code     string
	one      bool   // whether it ignores the code for one resource only
	resource string // KIND/NAME
}

func (i ignoredFinding) matches(f lint.Finding) bool {
	return i.matchesCode(f.Code) && (!i.one || i.resource == f.Resource.Type+"/"+f.Resource.Name)
}

// matchesCode reports whether a code is the one to ignore, or has its prefix.
func (i ignoredFinding) matchesCode(code string) bool {
	group, grouped := strings.CutSuffix(i.code, "*")
	return code == i.code || grouped && strings.HasPrefix(code, group)
}

// ignored returns the argument ignore, and reports elements that match no possible
// finding.
func (m *lintArguments) ignored(diags *diag.Diagnostics) []ignoredFinding {
	var ignored []ignoredFinding
	for _, text := range m.Ignore {
		code, resource, one := strings.Cut(text, ":")
		i := ignoredFinding{code, one, resource}
		ignored = append(ignored, i)
		if summary, detail := i.problem(); summary != "" {
			diags.AddAttributeError(path.Root("ignore").AtSetValue(types.StringValue(text)), summary, detail)
		}
	}
	return ignored
}

// problem returns why there can be no such finding. It is empty if there can be
// one.
func (i ignoredFinding) problem() (summary, detail string) {
	codes := append(
		phrase.Each(lint.Codes(), func(c lint.Code) string { return c.Code }),
		phrase.Each(kuma3.Conditions(), func(c kuma3.Condition) string { return c.ID })...)
	known := input.KindNames(lint.Kinds())
	kind, name, named := strings.Cut(i.resource, "/")
	switch {
	case !slices.ContainsFunc(codes, i.matchesCode):
		return "Unknown finding code",
			fmt.Sprintf(
				"%q is not the code of a finding.%s The guides \"What the linter finds\" and \"What the upgrade to Kuma 3.0 finds\" list all codes.",
				i.code, suggestCode(i.code, codes))
	case i.one && (!named || name == ""):
		return "Invalid resource", fmt.Sprintf("%q is not a valid resource. Write its kind and name, for example %s:MeshHTTPRoute/checkout.",
			i.resource, i.code)
	case i.one && !slices.Contains(known, kind):
		return "Unknown kind", fmt.Sprintf("There are no findings for kind %q.%s", kind, phrase.Suggest(kind, known))
	}
	return "", ""
}

// suggestCode offers the code that is meant, or all codes that begin with it.
func suggestCode(code string, codes []string) string {
	if strings.Trim(code, "*-") != "" && slices.ContainsFunc(codes, func(c string) bool { return strings.HasPrefix(c, code+"-") }) {
		return fmt.Sprintf(" Did you mean \"%s-*\"?", code)
	}
	return phrase.Suggest(code, codes)
}
