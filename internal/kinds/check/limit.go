package check

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MaxItems is the upper limit of lists that only must not be empty.
const MaxItems = math.MaxInt32

// NotEmpty and SomeItems are limits that the rules of a kind set, and not its
// schema.
var (
	NotEmpty  = def.NotEmpty().At(def.Rule)
	SomeItems = def.Items(1, MaxItems).At(def.Rule)
)

// RejectAll rejects several fields below n for the same reason.
func RejectAll(n tree.Node, why string, fields ...[]string) []def.Problem {
	var problems []def.Problem
	for _, m := range fields {
		problems = append(problems, def.Rejected(n.Get(m...), why)...)
	}
	return problems
}
