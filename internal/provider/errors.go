package provider

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// reportConnection says why the control plane cannot be used at all.
func reportConnection(diags *diag.Diagnostics, err error) {
	var unauthorized *controlplane.UnauthorizedError
	var forbidden *controlplane.ForbiddenError
	switch {
	case errors.As(err, &unauthorized), errors.As(err, &forbidden):
		diags.AddAttributeError(path.Root("token"), "The control plane refuses the token", phrase.Sentence(err))
	default:
		diags.AddAttributeError(path.Root("endpoint"), "The control plane cannot be used", phrase.Sentence(err))
	}
}

// reportFailure says why a request about a resource of kind k failed, on the
// attributes that the control plane names.
func reportFailure(diags *diag.Diagnostics, k def.Kind, summary string, err error) {
	var invalid *controlplane.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
		diags.AddError(summary, phrase.Sentence(err))
		return
	}
	for _, v := range invalid.Violations {
		diags.AddAttributeError(tfschema.AttributePath(k, tree.ParsePath(v.Field)), summary,
			"The control plane refuses "+orText(v.Field, "the document")+": "+v.Reason+".")
	}
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
