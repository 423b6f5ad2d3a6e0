package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// ignoredFinding is an element of the argument ignore, such as "deprecated",
// "dangling-*" or "deprecated:MeshTimeout/web".
type ignoredFinding struct {
	code     string
	one      bool   // only for the resource
	resource string // KIND/NAME
}

func parseIgnored(text string) ignoredFinding {
	code, resource, one := strings.Cut(text, ":")
	return ignoredFinding{code: code, one: one, resource: resource}
}

func (i ignoredFinding) matches(f lint.Finding) bool {
	return i.matchesCode(f.Code) && (!i.one || i.resource == f.Resource.Type+"/"+f.Resource.Name)
}

// matchesCode reports whether a code is the one to ignore, or begins like it.
func (i ignoredFinding) matchesCode(code string) bool {
	group, grouped := strings.CutSuffix(i.code, "*")
	return code == i.code || grouped && strings.HasPrefix(code, group)
}

// ignored returns what to leave out, after checking that it can mean something.
func (m *meshLintModel) ignored(ctx context.Context, diags *diag.Diagnostics) []ignoredFinding {
	var texts []string
	diags.Append(m.Ignore.ElementsAs(ctx, &texts, false)...)
	ignored := each(texts, parseIgnored)
	for n, i := range ignored {
		if summary, detail := i.problem(); summary != "" {
			diags.AddAttributeError(path.Root("ignore").AtSetValue(types.StringValue(texts[n])), summary, detail)
		}
	}
	return ignored
}

// problem says why there can be no such finding; empty when there can.
func (i ignoredFinding) problem() (summary, detail string) {
	codes := append(
		each(lint.Codes(), func(c lint.Code) string { return c.Code }),
		each(lint.Kuma3Conditions(), func(c kuma3.Condition) string { return c.ID })...)
	known := kindNames(append(lint.Kinds(), kuma3.RemovedKinds()...))
	kind, name, named := strings.Cut(i.resource, "/")
	switch {
	case !slices.ContainsFunc(codes, i.matchesCode):
		return "Unknown code", fmt.Sprintf("%q is no code of a finding.%s The guides \"What the linter finds\" and \"Get ready for Kuma 3.0\" list them.", i.code, phrase.Suggest(i.code, codes))
	case i.one && (!named || name == ""):
		return "Not a resource", fmt.Sprintf("%q is no resource. Write its kind and name, such as %s:MeshHTTPRoute/checkout.", i.resource, i.code)
	case i.one && !slices.Contains(known, kind):
		return "Unknown kind", fmt.Sprintf("%q is no kind that findings are about.%s", kind, phrase.Suggest(kind, known))
	}
	return "", ""
}
