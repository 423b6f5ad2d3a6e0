package kinds

import (
	"fmt"
	"regexp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// typeRegex is the type of a condition on the traffic whose value is a regular
// expression.
const typeRegex = "RegularExpression"

// regexCompiles checks a member that holds a regular expression if the type of
// its object says so. Envoy reads the syntax of RE2, as Go does.
func regexCompiles(kind, member string) spec.Check {
	return spec.Check{Test: func(n spec.Node) []spec.Problem {
		value := n.Get(member)
		s, ok := value.Text()
		if t, _ := n.Get("type").Text(); !ok || t != kind {
			return nil
		}
		if _, err := regexp.Compile(s); err != nil {
			return []spec.Problem{value.Problem("Invalid regular expression", fmt.Sprintf("%q is no regular expression in the syntax of RE2 (%s). Correct it, or choose another type.", s, err))}
		}
		return nil
	}}
}
