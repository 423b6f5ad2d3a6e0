package check

import (
	"regexp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TypeRegex is the type of a condition on the traffic whose value is a regular
// expression.
const TypeRegex = "RegularExpression"

// RegexCompiles checks a field that is a regular expression if the type of its
// object says so. Envoy uses the syntax of RE2, as Go does.
func RegexCompiles(kind, field string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		if t, _ := n.Get("type").Text(); t != kind {
			return nil
		}
		return brokenRegex(n.Get(field), "Correct it, or use another type.")
	}}
}

// Regex checks a string that is always a regular expression.
var Regex = def.Check{Test: func(n tree.Node) []def.Problem {
	return brokenRegex(n, "Correct it, or remove it.")
}}

func brokenRegex(n tree.Node, remedy string) []def.Problem {
	s, ok := n.Text()
	_, err := regexp.Compile(s)
	return def.ErrorIf(ok && err != nil, n, "Invalid regular expression", "%q is not a valid RE2 regular expression (%s). %s", s, err, remedy)
}
