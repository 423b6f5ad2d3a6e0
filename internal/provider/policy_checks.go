package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// policyChecks says what becomes of problems that only the design of Kuma has
// with a document.
type policyChecks string

const (
	checksError   policyChecks = "error"
	checksWarning policyChecks = "warning"
	checksOff     policyChecks = "off"
)

func parsePolicyChecks(v types.String, diags *diag.Diagnostics) policyChecks {
	allowed := []string{string(checksError), string(checksWarning), string(checksOff)}
	switch c := policyChecks(v.ValueString()); c {
	case "":
		return checksError
	case checksError, checksWarning, checksOff:
		return c
	default:
		diags.AddAttributeError(path.Root("policy_checks"), "Unknown value", fmt.Sprintf("policy_checks is %q. Write %s.%s", v.ValueString(), spec.Or(allowed...), spec.Suggest(v.ValueString(), allowed)))
		return checksError
	}
}

// apply returns the problems of a document with the design as they are to be
// reported.
func (c policyChecks) apply(k spec.Kind, doc map[string]any) []spec.Problem {
	if c == checksOff {
		return nil
	}
	problems := k.ValidateDesign(doc)
	for i := range problems {
		problems[i].Warning = problems[i].Warning || c == checksWarning
	}
	return problems
}
