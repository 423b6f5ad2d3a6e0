package report

import (
	"crypto/x509"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
)

// Connection reports why the control plane cannot be used at all.
func Connection(diags *diag.Diagnostics, err error) {
	var unauthorized *controlplane.UnauthorizedError
	var forbidden *controlplane.ForbiddenError
	switch {
	case errors.As(err, &unauthorized), errors.As(err, &forbidden):
		// Not on the attribute: Terraform would print the line that sets it.
		diags.AddError("Control plane rejected the token", RequestDetail(err))
	default:
		diags.AddAttributeError(path.Root("endpoint"), "Cannot use the control plane", RequestDetail(err))
	}
}

// RequestDetail returns why a request failed, and the settings of the provider that
// solve the problem.
func RequestDetail(err error) string {
	detail := phrase.Sentence(err)
	var forbidden *controlplane.ForbiddenError
	var untrusted x509.UnknownAuthorityError
	switch {
	case errors.As(err, &forbidden) && forbidden.Anonymous:
		detail += " Set token in the provider block, or the environment variable " + connection.EnvToken +
			", to the token of a user with this permission."
	case errors.As(err, &untrusted):
		detail += " Set ca_certificate in the tls block of the provider, such as file(\"ca.pem\"), or set the environment variable " +
			connection.EnvCACertificate + " to the path of the file."
	}
	return detail
}
