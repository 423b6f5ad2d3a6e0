package def

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	return Text(func(s string) bool { return s != "" }, "Empty string",
		"The value must not be empty. Set a value, or omit the block that contains it.").At(Schema)
}

// Length checks the number of characters of a string, with the schema of a
// newer kind.
func Length(low, high int) Check {
	return Check{Test: func(n tree.Node) []Problem {
		s, ok := n.Text()
		l := utf8.RuneCountInString(s)
		return ErrorIf(ok && (l < low || l > high), n, "Invalid length",
			"The value has %d characters. It must have between %d and %d.", l, low, high)
	}}.At(Schema)
}

// Pattern checks a string against a regular expression that what describes,
// with the schema of a newer kind.
func Pattern(re *regexp.Regexp, what string) Check {
	return Text(re.MatchString, "Invalid format", "%q is not a valid value. "+what).WithDoc(what).At(Schema)
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

// Text checks strings. The detail of the problem with one that is not valid contains %q for the string.
func Text(valid func(s string) bool, summary, detail string) Check {
	return Check{Test: func(n tree.Node) []Problem {
		if s, ok := n.Text(); ok && !valid(s) {
			return []Problem{ErrorAt(n, summary, strings.ReplaceAll(detail, "%q", strconv.Quote(s)))}
		}
		return nil
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
	return Text(func(s string) bool {
		d, err := time.ParseDuration(s)
		return err != nil || d >= shortest
	}, "Duration out of range", "The duration is %q, but it "+must+".")
}

// AnyOf checks that at least one of an object's fields is set.
func AnyOf(names ...string) Check {
	return Check{Doc: "At least one of " + phrase.Or(phrase.Code(names)...) + " is required.", Test: func(n tree.Node) []Problem {
		if slices.ContainsFunc(names, func(name string) bool { return !n.Get(name).Absent() }) {
			return nil
		}
		return []Problem{ErrorAt(n, "Missing required field", fmt.Sprintf("At least one of %s must be set.", phrase.Or(names...)))}
	}}
}

// AtMostOneOf checks that no two of an object's fields are set.
func AtMostOneOf(names ...string) Check {
	return Check{Doc: "At most one of " + phrase.Or(phrase.Code(names)...) + " can be set.", Test: func(n tree.Node) []Problem {
		set := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !n.Get(name).Known() })
		if len(set) < 2 {
			return nil
		}
		return []Problem{ErrorAt(n, "Conflicting fields",
			fmt.Sprintf("%s are set, but only one of %s is allowed. Remove all but one.", phrase.And(set...), phrase.Or(names...)))}
	}}
}

// Each applies checks to every element of a list, or value of a map.
func Each(checks ...Check) Check {
	return within(func(n tree.Node, apply func(checks []Check, n tree.Node) []Problem) (problems []Problem) {
		for _, e := range append(n.Items(), n.Entries()...) {
			if e.Known() {
				problems = append(problems, apply(checks, e)...)
			}
		}
		return problems
	})
}

// Below applies checks to a field of an object, if it is set.
func Below(field string, checks ...Check) Check {
	return within(func(n tree.Node, apply func(checks []Check, n tree.Node) []Problem) []Problem {
		if m := n.Get(field); m.Known() {
			return apply(checks, m)
		}
		return nil
	})
}

// within returns a check that applies others to parts of a value.
func within(each func(n tree.Node, apply func(checks []Check, n tree.Node) []Problem) []Problem) Check {
	return Check{
		Test: func(n tree.Node) []Problem { return each(n, test) },
		ByRelease: func(n tree.Node, r kuma.Release) []Problem {
			return each(n, func(checks []Check, n tree.Node) []Problem { return byRelease(checks, n, r) })
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
	key := func(e tree.Node) (string, bool) {
		m := e.Get(field)
		if i, whole := m.Int(); whole {
			return strconv.FormatInt(i, 10), true
		}
		s, ok := m.Text()
		return s, ok || absentIsEmpty && m.Absent()
	}
	return Check{Doc: fmt.Sprintf("Each `%s` must be unique.", field), Test: func(n tree.Node) []Problem {
		return Repeated(n.Items(), key, func(e tree.Node, s string) Problem {
			return ErrorAt(e.Get(field), "Duplicate "+field,
				fmt.Sprintf("%q is already the %s of an earlier element. Use a different value, or remove one of the elements.", s, field))
		})
	}}
}

// Repeated returns a problem for each node with the key of an earlier one. Those without a key are not compared.
func Repeated[K comparable](nodes []tree.Node, key func(n tree.Node) (K, bool), problem func(n tree.Node, key K) Problem) []Problem {
	var problems []Problem
	seen := map[K]bool{}
	for _, n := range nodes {
		k, ok := key(n)
		if ok && seen[k] {
			problems = append(problems, problem(n, k))
		}
		seen[k] = seen[k] || ok
	}
	return problems
}

// Variant is one choice of an object whose `type` selects a field.
type Variant struct {
	Type     string // value of `type`
	Field    string // field with the settings of the type
	Optional bool   // the type does not require the field
	Checks   []Check
}

// TypeField describes the field that selects one of the variants.
func TypeField(doc string, variants ...Variant) Field {
	f := String.Required("type", doc)
	f.OneOf = phrase.Each(variants, func(v Variant) string { return v.Type })
	return f
}

// ByType checks an object whose `type` selects one of its fields: that the
// field is set, and the checks of the variant on it. The control plane stores
// other fields unchecked and does not use them.
func ByType(variants ...Variant) Check {
	return within(func(n tree.Node, apply func(checks []Check, n tree.Node) []Problem) (problems []Problem) {
		kind, _ := n.Get("type").Text()
		for _, v := range variants {
			if v.Type == kind {
				checks := Checks(Below(v.Field, v.Checks...))
				if !v.Optional {
					checks = append(checks, requiredBy(v))
				}
				problems = append(problems, apply(checks, n)...)
			}
		}
		return problems
	})
}

// requiredBy checks that the field of a variant is set.
func requiredBy(v Variant) Check {
	return Check{Test: func(n tree.Node) []Problem {
		settings := n.Get(v.Field)
		return ErrorIf(settings.Absent(), settings, v.Field+" is missing", "Type %s requires %q. Add it.", v.Type, v.Field)
	}}
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
