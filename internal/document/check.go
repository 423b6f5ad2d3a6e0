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
	Values                // also the fields that the kind has
	Fields                // also that there are no other fields
)

// Problems returns the problems of a resource of kind k, including warnings,
// sorted by path. doc is its document in universal format.
func (c Check) Problems(k def.Kind, res kuma.Resource, doc map[string]any) []def.Problem {
	var problems []def.Problem
	if c != Envelope {
		problems = k.Validate(doc)
	}
	if c == Fields {
		unknown := k.UnknownFields(res)
		problems = append(withoutConsequences(problems, unknown, doc), unknown...)
		def.Sort(problems)
	}
	return problems
}
