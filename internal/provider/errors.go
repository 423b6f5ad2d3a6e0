package provider

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// reportConnection says why the control plane cannot be used at all.
func reportConnection(diags *diag.Diagnostics, err error) {
	var unauthorized *controlplane.UnauthorizedError
	var forbidden *controlplane.ForbiddenError
	switch {
	case errors.As(err, &unauthorized), errors.As(err, &forbidden):
		diags.AddAttributeError(path.Root("token"), "The control plane refuses the token", sentence(err))
	default:
		diags.AddAttributeError(path.Root("endpoint"), "The control plane cannot be used", sentence(err))
	}
}

// reportFailure says why a request about a resource of kind k failed, on the
// attributes that the control plane names.
func reportFailure(diags *diag.Diagnostics, k def.Kind, summary string, err error) {
	var invalid *controlplane.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
		diags.AddError(summary, sentence(err))
		return
	}
	for _, v := range invalid.Violations {
		diags.AddAttributeError(attributePath(k, tree.ParsePath(v.Field)), summary,
			"The control plane refuses "+orText(v.Field, "the document")+": "+v.Reason+".")
	}
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// sentence turns an error into a sentence for a diagnostic.
func sentence(err error) string {
	text := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(err.Error(), "yaml: ")), ".")
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if strings.HasSuffix(text, "?") { // a suggestion
		return text
	}
	return text + "."
}
