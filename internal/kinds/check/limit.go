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

// RefuseAll refuses several fields below n for the same reason.
func RefuseAll(n tree.Node, why string, members ...[]string) []def.Problem {
	var problems []def.Problem
	for _, m := range members {
		problems = append(problems, def.Refused(n.Get(m...), why)...)
	}
	return problems
}
