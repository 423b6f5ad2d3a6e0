package document

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Check is what is checked of a document of a described kind.
type Check int

// What is checked.
const (
	Envelope Check = iota // what names the resource, and its labels
	Values                // that, and the fields that the kind has
	Members               // that, and that there are no others
)

// Problems returns what is wrong with a resource of kind k, warnings included,
// sorted by path. doc is the document to look at, in universal format.
func (c Check) Problems(k def.Kind, res kuma.Resource, doc map[string]any) []def.Problem {
	var problems []def.Problem
	if c != Envelope {
		problems = k.Validate(doc)
	}
	if c == Members {
		unknown := k.UnknownMembers(res)
		problems = append(withoutConsequences(problems, unknown, doc), unknown...)
		def.Sort(problems)
	}
	return problems
}
