package document

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Check is the extent of the checks of a document of a described kind.
type Check int

// Extents of the checks.
const (
	Envelope Check = iota // the identity of the resource, and its labels
	Values                // also the fields that the kind has; others are a warning
	Fields                // also that there are no other fields
)

// Problems returns the problems of a resource of kind k, including warnings,
// sorted by path. doc is its document in universal format.
func (c Check) Problems(k def.Kind, res kuma.Resource, doc map[string]any) []def.Problem {
	if c == Envelope {
		return nil
	}
	problems, unknown := k.Validate(doc), k.UnknownFields(res)
	if c == Fields {
		problems = withoutConsequences(problems, unknown, doc)
	}
	for _, u := range unknown {
		u.Warning = c == Values
		problems = append(problems, u)
	}
	def.Sort(problems)
	return problems
}
