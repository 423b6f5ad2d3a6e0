package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Configuration adds the problems of a document of kind k from a configuration.
// It warns about deprecated fields because the schema does not: when Terraform
// generates configuration, it omits attributes that a schema marks as deprecated, and
// applying that would delete what is stored. Terraform validates each block before it
// configures the provider, and each instance after that; only the latter gets the
// warnings, because a block may have no instance. What the release of the control plane
// does not have is an error of the plan, and gets no warning.
func Configuration(diags *diag.Diagnostics, k def.Kind, doc map[string]any, cp *connection.Connection) {
	problems := k.Validate(doc)
	var deprecated []def.Problem
	if cp != nil {
		deprecated = k.Deprecations(doc, problems, cp.Capabilities().ControlPlane.Release)
	}
	if len(deprecated) > 0 {
		removed := cp.Capabilities().Problems(k, doc)
		deprecated = slices.DeleteFunc(deprecated, func(p def.Problem) bool {
			return slices.ContainsFunc(removed, func(other def.Problem) bool { return !other.Warning && tree.ComparePaths(p.Path, other.Path) == 0 })
		})
	}
	for i := range deprecated {
		deprecated[i].Detail += " " + k.Outlook(deprecated[i], doc)
	}
	problems = slices.DeleteFunc(problems, func(p def.Problem) bool { return p.Topic == def.Deprecation })
	Problems(diags, k, append(problems, deprecated...))
}

// Problems adds problems of a document of kind k to the diagnostics, each on its
// attribute. The path of an element of a list is part of the text, because
// Terraform only shows the lines of the block, and not even these for a dynamic
// block.
func Problems(diags *diag.Diagnostics, k def.Kind, problems []def.Problem) {
	names := tfschema.WireNames(k)
	for _, p := range problems {
		at, summary, detail := tfschema.AttributePath(k, p.Path), tfschema.WithAttributeNames(p.Summary,
			names), tfschema.WithAttributeNames(p.Detail, names)
		if f, ok := k.Root().Field(p.Path.String()); ok && f.IsSecret() { // only the argument in base64 can be invalid
			plain := tfschema.AttributeName(f.Name)
			summary = strings.Replace(summary, f.Name, plain+tfschema.SuffixBase64, 1)
			detail = strings.Replace(detail, f.Name, plain+tfschema.SuffixBase64, 1) +
				fmt.Sprintf(" For a value that is not encoded, set %s instead.", plain)
		}
		if inList(at) {
			detail = at.String() + ": " + detail
		}
		var d diag.Diagnostic = diag.NewErrorDiagnostic(summary, detail)
		if p.Warning {
			d = diag.NewWarningDiagnostic(summary, detail)
		}
		if f, ok := k.Root().Field(p.Path.String()); ok && (p.Topic == def.Unsupported || p.Topic == def.Deprecation) {
			if _, block := f.Type.(def.Object); block { // of which Terraform shows the line only for a path into it
				at = at.AtName("(block)")
			}
		}
		if len(at.Steps()) > 0 { // otherwise Terraform shows the resource
			diags.Append(diag.WithPath(at, d))
		} else {
			diags.Append(d)
		}
	}
}

// inList reports whether a path leads to or through an element of a list.
func inList(at path.Path) bool {
	return slices.ContainsFunc(at.Steps(), func(step path.PathStep) bool {
		_, ok := step.(path.PathStepElementKeyInt)
		return ok
	})
}

// Document reports problems on the attribute that contains a document. Terraform
// does not show lines inside a value, so the path in the document is part of the text.
func Document(diags *diag.Diagnostics, at path.Path, problems []def.Problem) {
	for _, p := range problems {
		detail := p.Detail
		if len(p.Path) > 0 {
			detail = p.Path.String() + ": " + detail
		}
		if p.Warning {
			diags.AddAttributeWarning(at, p.Summary, detail)
			continue
		}
		diags.AddAttributeError(at, p.Summary, detail)
	}
}

// Reading does the same for the result of reading a document.
func Reading(diags *diag.Diagnostics, at path.Path, found document.Result) {
	for _, p := range found.Problems {
		Document(diags, at, []def.Problem{p.Problem})
	}
}

// Protocol converts diagnostics to those of the protocol.
func Protocol(diags diag.Diagnostics) []*tfprotov6.Diagnostic {
	var out []*tfprotov6.Diagnostic
	for _, d := range diags {
		p := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()}
		if d.Severity() == diag.SeverityWarning {
			p.Severity = tfprotov6.DiagnosticSeverityWarning
		}
		if with, ok := d.(diag.DiagnosticWithPath); ok {
			p.Attribute = protocolPath(with.Path())
		}
		out = append(out, p)
	}
	return out
}

func protocolPath(p path.Path) *tftypes.AttributePath {
	out := tftypes.NewAttributePath()
	for _, step := range p.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			out = out.WithAttributeName(string(step))
		case path.PathStepElementKeyInt:
			out = out.WithElementKeyInt(int(step))
		case path.PathStepElementKeyString:
			out = out.WithElementKeyString(string(step))
		}
	}
	return out
}
