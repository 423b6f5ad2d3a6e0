package check

import (
	"regexp"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var calendar = regexp.MustCompile(`^(0|[0-9]+(y|w|d|h|m|s|ms))$`)

// CalendarDuration checks the durations of certificates, whose units include
// days.
var CalendarDuration = def.Check{
	Doc: "Must be an integer with one of the units `y`, `w`, `d`, `h`, `m`, `s` and `ms`.",
	Test: func(n tree.Node) []def.Problem {
		s, ok := n.Text()
		return def.ErrorIf(ok && !calendar.MatchString(s), n, "Invalid "+n.Key(),
			"%q is not a valid duration. It must be an integer with one of the units y, w, d, h, m, s and ms, such as \"10d\" or \"36h\".", s)
	},
}

// NotZero checks a duration of a probe, for which zero is not a default.
var NotZero = def.Text(func(s string) bool {
	d, err := time.ParseDuration(s)
	return err != nil || d != 0
}, "Duration is zero", "The duration must not be zero. Set a positive duration, or omit the field.").WithDoc("Must not be zero.")
