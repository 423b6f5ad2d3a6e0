package def

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Between checks that an integer is in a range, bounds included.
func Between(low, high int64) Check {
	doc := fmt.Sprintf("Must be between %d and %d.", low, high)
	if high >= math.MaxInt32 { // the size of the type, which says nothing to a user
		doc = fmt.Sprintf("Must be at least %d.", low)
	}
	return Check{Doc: doc, Test: func(n tree.Node) []Problem {
		if i, ok := n.Int(); ok && (i < low || i > high) {
			return []Problem{ErrorAt(n, "Number out of range", fmt.Sprintf("The value is %d, but it must be %s.", i, bounds(low, high)))}
		}
		return nil
	}}
}

// bounds describes a range; an upper bound that is only that of the type of the
// number says nothing to users.
func bounds(low, high int64) string {
	if high >= math.MaxInt32 {
		return fmt.Sprintf("at least %d", low)
	}
	return fmt.Sprintf("between %d and %d", low, high)
}

// Limit checks like [Between], with the schema of a newer kind.
func Limit(low, high int64) Check { return Between(low, high).At(Schema) }

// NotEmpty checks that a string is not empty, with the schema of a newer kind.
func NotEmpty() Check {
	return Check{Test: func(n tree.Node) []Problem {
		if s, ok := n.Text(); ok && s == "" {
			return []Problem{ErrorAt(n, "Empty string", "The value must not be empty. Set a value, or omit the block that contains it.")}
		}
		return nil
	}}.At(Schema)
}

// Length checks the number of characters of a string, with the schema of a
// newer kind.
func Length(low, high int) Check {
	return Check{Test: func(n tree.Node) []Problem {
		s, ok := n.Text()
		if l := utf8.RuneCountInString(s); ok && (l < low || l > high) {
			return []Problem{ErrorAt(n, "Invalid length", fmt.Sprintf("The value has %d characters. It must have between %d and %d.", l, low, high))}
		}
		return nil
	}}.At(Schema)
}

// Pattern checks a string against a regular expression that what describes,
// with the schema of a newer kind.
func Pattern(re *regexp.Regexp, what string) Check {
	return Check{Doc: what, Test: func(n tree.Node) []Problem {
		if s, ok := n.Text(); ok && !re.MatchString(s) {
			return []Problem{ErrorAt(n, "Invalid format", fmt.Sprintf("%q is not a valid value. %s", s, what))}
		}
		return nil
	}}.At(Schema)
}

// Items checks the number of elements of a list or map, with the schema of a
// newer kind.
func Items(low, high int) Check {
	return Check{Test: func(n tree.Node) []Problem {
		l := max(len(n.Items()), len(n.Entries()))
		switch {
		case !n.Known():
		case l < low:
			return []Problem{ErrorAt(n, "Too few elements", fmt.Sprintf("The list %q has %d elements. It must have at least %d.", n.Key(), l, low))}
		case l > high && high == 1:
			return []Problem{ErrorAt(n, "Too many elements",
				fmt.Sprintf("The list %q has %d elements, but only one is allowed. Remove the others.", n.Key(), l))}
		case l > high:
			return []Problem{ErrorAt(n, "Too many elements", fmt.Sprintf("The list %q has %d elements. It must have at most %d.", n.Key(), l, high))}
		}
		return nil
	}}.At(Schema)
}

// OneOf checks a string that the control plane does not treat as an enum.
func OneOf(values ...string) Check {
	return Check{Doc: phrase.ValidValues(values), Values: values, Test: func(n tree.Node) []Problem {
		s, ok := n.Text()
		if !ok || slices.Contains(values, s) {
			return nil
		}
		return []Problem{ErrorAt(n, "Invalid value", fmt.Sprintf("%q is not a valid value. %s", s, phrase.Allowed(values, s)))}
	}}
}

// Positive checks that a duration is longer than zero.
func Positive() Check { return compareDuration(1, "must be positive") }

// LongerThan checks that a duration is longer than d.
func LongerThan(d time.Duration) Check {
	return compareDuration(d+1, "must be longer than "+d.String())
}

// NotNegative checks that a duration is zero or longer.
func NotNegative() Check { return compareDuration(0, "must not be negative") }

func compareDuration(shortest time.Duration, must string) Check {
	return Check{Test: func(n tree.Node) []Problem {
		s, ok := n.Text()
		if d, err := time.ParseDuration(s); ok && err == nil && d < shortest {
			return []Problem{ErrorAt(n, "Duration out of range", fmt.Sprintf("The duration is %q, but it %s.", s, must))}
		}
		return nil
	}}
}

// AnyOf checks that at least one of an object's fields is set.
func AnyOf(names ...string) Check {
	return Check{Doc: "At least one of " + phrase.Or(phrase.Code(names)...) + " is required.", Test: func(n tree.Node) []Problem {
		for _, name := range names {
			if !n.Get(name).Absent() {
				return nil
			}
		}
		return []Problem{ErrorAt(n, "Missing required field", fmt.Sprintf("At least one of %s must be set.", phrase.Or(names...)))}
	}}
}

// AtMostOneOf checks that no two of an object's fields are set.
func AtMostOneOf(names ...string) Check {
	return Check{Doc: "At most one of " + phrase.Or(phrase.Code(names)...) + " can be set.", Test: func(n tree.Node) []Problem {
		var set []string
		for _, name := range names {
			if n.Get(name).Known() {
				set = append(set, name)
			}
		}
		if len(set) < 2 {
			return nil
		}
		return []Problem{ErrorAt(n, "Conflicting fields",
			fmt.Sprintf("%s are set, but only one of %s is allowed. Remove all but one.", phrase.And(set...), phrase.Or(names...)))}
	}}
}

// Each applies checks to every element of a list, or value of a map.
func Each(checks ...Check) Check {
	each := func(n tree.Node, of func(checks []Check, n tree.Node) []Problem) []Problem {
		var problems []Problem
		for _, e := range append(n.Items(), n.Entries()...) {
			if e.Known() {
				problems = append(problems, of(checks, e)...)
			}
		}
		return problems
	}
	return Check{
		Test: func(n tree.Node) []Problem { return each(n, test) },
		ByRelease: func(n tree.Node, r kuma.Release) []Problem {
			return each(n, func(checks []Check, e tree.Node) []Problem { return byRelease(checks, e, r) })
		},
	}
}

// Below applies checks to a field of an object, if it is set.
func Below(field string, checks ...Check) Check {
	return Check{
		Test: func(n tree.Node) []Problem {
			if m := n.Get(field); m.Known() {
				return test(checks, m)
			}
			return nil
		},
		ByRelease: func(n tree.Node, r kuma.Release) []Problem {
			if m := n.Get(field); m.Known() {
				return byRelease(checks, m, r)
			}
			return nil
		},
	}
}

// BelowAsWhole is [Below] for a field whose problems the control plane reports
// on the object.
func BelowAsWhole(field string, checks ...Check) Check {
	below := Below(field, checks...)
	return Check{Test: func(n tree.Node) []Problem {
		problems := below.Test(n)
		for i := range problems {
			problems[i].Path = n.Path
		}
		return problems
	}}
}

// Unique checks that no two elements of a list have the same string, or the
// same integer, in a field.
func Unique(field string) Check { return unique(field, false) }

// UniqueOrEmpty is [Unique] for an optional field of an older kind, where an
// absent string is an empty one.
func UniqueOrEmpty(field string) Check { return unique(field, true) }

func unique(field string, absentIsEmpty bool) Check {
	return Check{Doc: fmt.Sprintf("Each `%s` must be unique.", field), Test: func(n tree.Node) []Problem {
		var problems []Problem
		seen := map[string]bool{}
		for _, e := range n.Items() {
			m := e.Get(field)
			s, ok := m.Text()
			if i, whole := m.Int(); whole {
				s, ok = strconv.FormatInt(i, 10), true
			}
			ok = ok || absentIsEmpty && m.Absent()
			if ok && seen[s] {
				problems = append(problems, ErrorAt(m, "Duplicate "+field,
					fmt.Sprintf("%q is already the %s of an earlier element. Use a different value, or remove one of the elements.", s, field)))
			}
			seen[s] = cmp.Or(seen[s], ok)
		}
		return problems
	}}
}

// Variant is one choice of an object whose `type` selects a field.
type Variant struct {
	Type     string // value of `type`
	Field    string // field with the settings of the type
	Optional bool   // the type does not require the field
	Checks   []Check
}

// ByType checks an object whose `type` selects one of its fields: that the
// field is set, and the checks of the variant on it. The control plane stores
// other fields unchecked and does not use them.
func ByType(variants ...Variant) Check {
	return Check{
		Test: func(n tree.Node) []Problem {
			kind, _ := n.Get("type").Text()
			var problems []Problem
			for _, v := range variants {
				settings := n.Get(v.Field)
				switch {
				case v.Type != kind:
				case settings.Absent() && !v.Optional:
					problems = append(problems, ErrorAt(settings, v.Field+" is missing", fmt.Sprintf("Type %s requires %q. Add it.", kind, v.Field)))
				default:
					problems = append(problems, Below(v.Field, v.Checks...).Test(n)...)
				}
			}
			return problems
		},
		ByRelease: func(n tree.Node, r kuma.Release) []Problem {
			kind, _ := n.Get("type").Text()
			var problems []Problem
			for _, v := range variants {
				if v.Type == kind {
					problems = append(problems, Below(v.Field, v.Checks...).ByRelease(n, r)...)
				}
			}
			return problems
		},
	}
}

// Rejected checks that a field is not set; why is the reason.
func Rejected(n tree.Node, why string) []Problem {
	if !n.Filled() {
		return nil
	}
	return RejectedEvenEmpty(n, why)
}

// RejectedUnread is [Rejected] for a field that the control plane then does not
// check.
func RejectedUnread(n tree.Node, why string) []Problem {
	problems := Rejected(n, why)
	for i := range problems {
		problems[i] = problems[i].Instead(n.Path)
	}
	return problems
}

// RejectedEvenEmpty is [Rejected] for a field that counts as set when it is empty.
func RejectedEvenEmpty(n tree.Node, why string) []Problem {
	if !n.Known() {
		return nil
	}
	return []Problem{ErrorAt(n, n.Key()+" cannot be set here", why)}
}
