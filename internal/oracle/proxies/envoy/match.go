package envoy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	matcher "github.com/envoyproxy/go-control-plane/envoy/type/matcher/v3"
)

// matchString evaluates a matcher for a string.
func matchString(m *matcher.StringMatcher, s string) (bool, error) {
	fold := func(s string) string { return s }
	if m.GetIgnoreCase() { // has no effect on regular expressions
		fold = strings.ToLower
	}
	switch p := m.GetMatchPattern().(type) {
	case *matcher.StringMatcher_Exact:
		return fold(s) == fold(p.Exact), nil
	case *matcher.StringMatcher_Prefix:
		return strings.HasPrefix(fold(s), fold(p.Prefix)), nil
	case *matcher.StringMatcher_Suffix:
		return strings.HasSuffix(fold(s), fold(p.Suffix)), nil
	case *matcher.StringMatcher_Contains:
		return strings.Contains(fold(s), fold(p.Contains)), nil
	case *matcher.StringMatcher_SafeRegex:
		return matchRegex(p.SafeRegex.GetRegex(), s)
	default:
		return false, fmt.Errorf("a string matcher of type %T: %w", p, ErrUnsupported)
	}
}

// matchRegex reports whether a regular expression matches the whole string.
func matchRegex(expression, s string) (bool, error) {
	r, err := regexp.Compile(`\A(?:` + expression + `)\z`)
	return err == nil && r.MatchString(s), err
}

// matchHeader evaluates a matcher for the header that it names. A matcher for the
// value of a missing header is false, inverted or not.
func matchHeader(m *route.HeaderMatcher, headers func(name string) (string, bool)) (bool, error) {
	value, ok := headers(strings.ToLower(m.GetName()))
	if p, isPresence := m.GetHeaderMatchSpecifier().(*route.HeaderMatcher_PresentMatch); isPresence || m.GetHeaderMatchSpecifier() == nil {
		wanted := p == nil || p.PresentMatch
		return (ok == wanted) != m.GetInvertMatch(), nil
	}
	if !ok && !m.GetTreatMissingHeaderAsEmpty() {
		return false, nil
	}
	matches, err := matchHeaderValue(m, value)
	return matches != m.GetInvertMatch(), err
}

func matchHeaderValue(m *route.HeaderMatcher, value string) (bool, error) {
	switch p := m.GetHeaderMatchSpecifier().(type) {
	case *route.HeaderMatcher_PrefixMatch:
		return strings.HasPrefix(value, p.PrefixMatch), nil //nolint:staticcheck // deprecated, but still evaluated
	case *route.HeaderMatcher_StringMatch:
		return matchString(p.StringMatch, value)
	case *route.HeaderMatcher_RangeMatch:
		n, err := strconv.ParseInt(value, 10, 64)
		return err == nil && p.RangeMatch.GetStart() <= n && n < p.RangeMatch.GetEnd(), nil //nolint:nilerr // not a number: outside of the range
	default:
		return false, fmt.Errorf("a header matcher of type %T: %w", p, ErrUnsupported)
	}
}

// matchQuery evaluates a matcher for a query parameter.
func matchQuery(m *route.QueryParameterMatcher, query map[string]string) (bool, error) {
	value, ok := query[m.GetName()]
	switch p := m.GetQueryParameterMatchSpecifier().(type) {
	case *route.QueryParameterMatcher_StringMatch:
		if !ok {
			return false, nil
		}
		return matchString(p.StringMatch, value)
	case *route.QueryParameterMatcher_PresentMatch:
		return ok == p.PresentMatch, nil
	default:
		return ok, nil
	}
}
