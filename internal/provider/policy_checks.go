package provider

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// policyChecks is the severity of problems that a document has only according to
// Kuma's design.
type policyChecks string

const (
	checksError   policyChecks = "error"
	checksWarning policyChecks = "warning"
	checksOff     policyChecks = "off"
)

// apply sets the severity of the design problems of a document, or removes them.
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

// problems returns the problems of a document that is to be written to this control
// plane. create is true if the resource does not exist yet.
func (c *connection) problems(k def.Kind, doc map[string]any, create bool) []def.Problem {
	problems := append(c.store.Problems(k, doc), c.checks.apply(k, doc)...)
	if name := tree.Root(doc).Get("name"); c.longestName > 0 && len(tree.Text(name.Value())) > c.longestName {
		problems = append(problems, def.ErrorAt(name, "Name too long for a file", fmt.Sprintf("The name is part of a file name of the embedded control plane, and must have at most %d characters.", c.longestName)))
	}
	if create {
		problems = append(problems, k.ValidateCreation(doc)...)
	}
	return problems
}
