package def

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Check is one rule. It runs during the plan, when values may still be unknown,
// and when a document is written.
type Check struct {
	// Doc states the rule for the documentation page; empty when the field's
	// own description does.
	Doc string
	// Test returns the violations of the rule. It must pass when n, or what it
	// needs of n, is unknown.
	Test func(n tree.Node) []Problem
	// ByRelease returns what only control planes of some releases reject; nil if all
	// releases have the same rule.
	ByRelease func(n tree.Node, r kuma.Release) []Problem
	// Values are the strings that the rule allows if it is a list of them.
	Values []string

	anyCase bool // see [Check.AnyCase]
}

// At returns the check with its problems found at stage s; without it, that is
// [Rule].
func (c Check) At(s Stage) Check {
	return c.each(func(p *Problem) { p.Stage = s })
}

// Warn returns the check with its problems as warnings: what violates it has no
// effect and breaks nothing.
func (c Check) Warn() Check {
	return c.each(func(p *Problem) { p.Warning = true })
}

// About returns the check with a topic for its problems.
func (c Check) About(t Topic) Check {
	return c.each(func(p *Problem) { p.Topic = t })
}

// AnyCase returns the check of a list of strings for a control plane that ignores the
// case of letters.
func (c Check) AnyCase() Check {
	c.anyCase = true
	return c.unless(func(s string) bool {
		return slices.ContainsFunc(c.Values, func(v string) bool { return strings.EqualFold(v, s) })
	})
}

// OrEmpty returns the check for an optional string of an older kind, where an empty
// string is an absent one.
func (c Check) OrEmpty() Check {
	return c.unless(func(s string) bool { return s == "" })
}

// unless returns a check that accepts more strings.
func (c Check) unless(accepted func(s string) bool) Check {
	return c.Unless(func(n tree.Node) bool {
		s, ok := n.Text()
		return ok && accepted(s)
	})
}

// Unless returns the check for all values but those that a function selects. Rules of single
// releases stay.
func (c Check) Unless(skip func(n tree.Node) bool) Check {
	test := c.Test
	c.Test = func(n tree.Node) []Problem {
		if skip(n) {
			return nil
		}
		return test(n)
	}
	return c
}

// WithDoc returns the check with another statement of the rule.
func (c Check) WithDoc(doc string) Check {
	c.Doc = doc
	return c
}

func (c Check) each(change func(p *Problem)) Check {
	all := func(problems []Problem) []Problem {
		for i := range problems {
			change(&problems[i])
		}
		return problems
	}
	test, byRelease := c.Test, c.ByRelease
	c.Test = func(n tree.Node) []Problem { return all(test(n)) }
	if byRelease != nil {
		c.ByRelease = func(n tree.Node, r kuma.Release) []Problem { return all(byRelease(n, r)) }
	}
	return c
}

// InKuma3 returns a rule that only Kuma 3.0 and later releases have.
func InKuma3(c Check) Check { return c.in(kuma.Since("3.0")) }

// BeforeKuma3 returns a rule that only releases before Kuma 3.0 have.
func BeforeKuma3(c Check) Check { return c.in(kuma.Before("3.0")) }

func (c Check) in(releases kuma.Releases) Check {
	return Check{Doc: c.Doc, Test: func(tree.Node) []Problem { return nil }, ByRelease: func(n tree.Node, r kuma.Release) []Problem {
		if !releases.Contain(r) {
			return nil
		}
		return c.Test(n)
	}}
}

// Checks is a list of rules.
func Checks(c ...Check) []Check { return c }

// test returns the violations of the checks.
func test(checks []Check, n tree.Node) []Problem {
	var problems []Problem
	for _, c := range checks {
		problems = append(problems, c.Test(n)...)
	}
	return problems
}

// byRelease returns what a control plane of release r rejects, and others do not.
func byRelease(checks []Check, n tree.Node, r kuma.Release) []Problem {
	var problems []Problem
	for _, c := range checks {
		if c.ByRelease != nil {
			problems = append(problems, c.ByRelease(n, r)...)
		}
	}
	return problems
}
