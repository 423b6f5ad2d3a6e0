package check

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Unsigned checks an integer that the control plane decodes as an unsigned
// 32-bit integer: it cannot decode negative or larger values.
func Unsigned(low, high int64) def.Check {
	inRange := def.Between(low, high)
	readable := inRange.At(def.Decode)
	return def.Check{Doc: inRange.Doc, Test: func(n tree.Node) []def.Problem {
		if i, _ := n.Int(); i < 0 || i > math.MaxUint32 {
			return readable.Test(n)
		}
		return inRange.Test(n)
	}}
}

// Count checks a number of things in a newer kind, at least one. The schema
// limits it to 32 bits.
var Count = def.Check{Doc: Unsigned(1, math.MaxInt32).Doc, Test: func(n tree.Node) []def.Problem {
	if i, _ := n.Int(); i > math.MaxInt32 {
		return def.Limit(1, math.MaxInt32).Test(n)
	}
	return Unsigned(1, math.MaxInt32).Test(n)
}}

// StatusCode checks the status code of an HTTP response.
var StatusCode = def.Between(100, 599)

// Percentage checks a percentage that is a number or a string.
var Percentage = Decimal("from 0 to 100", func(f float64) bool { return f >= 0 && f <= 100 })

// Decimal checks a number that can be a string, so that it can have a fraction.
func Decimal(allowed string, in func(f float64) bool) def.Check {
	return def.Check{
		Doc: "Must be a number " + allowed + ".",
		Test: func(n tree.Node) []def.Problem {
			number, ok := n.Value().(json.Number)
			if text, isText := n.Text(); isText {
				number, ok = json.Number(text), true
			}
			if !ok {
				return nil
			}
			exact, ok := tree.ParseNumber(number)
			if !ok {
				return []def.Problem{def.ErrorAt(n, "Invalid number",
					fmt.Sprintf("%q is not a valid number. It must be a number %s.", string(number), allowed))}
			}
			f, _ := exact.Float64()
			return def.ErrorIf(!in(f), n, "Number out of range", "The value is %s, but it must be a number %s.", number, allowed)
		},
	}
}
