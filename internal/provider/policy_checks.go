package provider

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
)

// policyChecks says what becomes of problems that only the design of Kuma has
// with a document.
type policyChecks string

const (
	checksError   policyChecks = "error"
	checksWarning policyChecks = "warning"
	checksOff     policyChecks = "off"
)

// apply returns the problems of a document with the design as they are to be
// reported.
func (c policyChecks) apply(k def.Kind, doc map[string]any) []def.Problem {
	if c == checksOff {
		return nil
	}
	problems := k.ValidateDesign(doc)
	for i := range problems {
		problems[i].Warning = problems[i].Warning || c == checksWarning
	}
	return problems
}

// problems returns what is wrong with a document that is to be written to the
// control plane at hand. create says that there is no resource of its name yet.
func (c *connection) problems(k def.Kind, doc map[string]any, create bool) []def.Problem {
	problems := append(c.store.Problems(k, doc), c.checks.apply(k, doc)...)
	if create {
		problems = append(problems, k.ValidateCreation(doc)...)
	}
	return problems
}
