package request

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Types of matches.
const (
	exact      = "Exact"
	prefix     = "Prefix"
	pathPrefix = "PathPrefix"
	regex      = "RegularExpression"
	present    = "Present"
	absent     = "Absent"
)

// routeMatch is one match of a rule of a route.
type routeMatch struct {
	kind, path, method string
	headers, query     []valueMatch
}

// valueMatch is a condition on a header or on a parameter of the query.
type valueMatch struct{ kind, name, value string }

func parseMatch(n tree.Node) routeMatch {
	text := func(n tree.Node) string { s, _ := n.Text(); return s }
	m := routeMatch{kind: text(n.Get("path", "type")), path: text(n.Get("path", "value")), method: text(n.Get("method"))}
	read := func(list string) (out []valueMatch) {
		for _, v := range n.Get(list).Items() {
			out = append(out, valueMatch{cmp.Or(text(v.Get("type")), exact), text(v.Get("name")), text(v.Get("value"))})
		}
		return out
	}
	m.headers, m.query = read("headers"), read("queryParams")
	return m
}

// compareRouteMatches sorts matches in the order in which a sidecar tries them (matching.md §17.1).
func compareRouteMatches(a, b routeMatch) int {
	return compareMatches(a, b, len(a.headers), len(b.headers))
}

// CompareMatches compares matches of routes by the order in which a sidecar tries them. It returns zero
// if the sidecar tries them in the order of the rules.
func CompareMatches(a, b tree.Node) int { return compareRouteMatches(parseMatch(a), parseMatch(b)) }

// compareGatewayMatches sorts matches in the order in which a builtin gateway tries them, which
// does not count headers with a prefix, and compares regular expressions only by their length
// (matching.md §18.2).
func compareGatewayMatches(a, b routeMatch) int {
	if a.kind == regex && b.kind == regex {
		return cmp.Compare(len(b.path), len(a.path))
	}
	counted := func(m routeMatch) (n int) {
		for _, h := range m.headers {
			if h.kind != prefix {
				n++
			}
		}
		return n
	}
	return compareMatches(a, b, counted(a), counted(b))
}

func compareMatches(a, b routeMatch, headersOfA, headersOfB int) int {
	rank := func(m routeMatch) int { return slices.Index([]string{exact, pathPrefix, regex, ""}, m.kind) }
	length := func(m routeMatch) int {
		if m.kind == exact { // it only decides which references to a service come first
			return 0
		}
		return len(m.path)
	}
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(length(b), length(a)),
		cmp.Compare(min(len(b.method), 1), min(len(a.method), 1)),
		cmp.Compare(headersOfB, headersOfA),
		cmp.Compare(len(b.query), len(a.query)),
	)
}

// isRest reports whether the match replaces the default route of a proxy. A match without a path
// takes the same requests, but does not replace it (matching.md §17.1).
func (m routeMatch) isRest() bool {
	return m.kind == pathPrefix && m.path == "/" && m.method == "" && len(m.headers)+len(m.query) == 0
}

// matches reports whether a request, whose path is normalized, meets the match. The error is
// about a regular expression that is not valid.
func (m routeMatch) matches(r Request) (bool, error) {
	if m.method != "" && m.method != r.Method {
		return false, nil
	}
	ok, err := m.matchesPath(r.Path)
	for _, h := range m.headers {
		if ok && err == nil {
			value, has := r.header(h.name)
			ok, err = h.matches(value, has)
		}
	}
	for _, q := range m.query {
		if ok && err == nil {
			value, has := r.Query[q.name]
			ok, err = q.matches(value, has)
		}
	}
	return ok && err == nil, err
}

func (m routeMatch) matchesPath(path string) (bool, error) {
	switch m.kind {
	case exact:
		return path == m.path, nil
	case pathPrefix:
		return path == m.path || strings.HasPrefix(path, strings.TrimSuffix(m.path, "/")+"/"), nil
	case regex:
		return matchesWhole(m.path, path)
	default:
		return true, nil
	}
}

func (v valueMatch) matches(value string, has bool) (bool, error) {
	switch v.kind {
	case present:
		return has, nil
	case absent:
		return !has, nil
	case prefix:
		return has && strings.HasPrefix(value, v.value), nil
	case regex:
		if !has {
			return false, nil
		}
		return matchesWhole(v.value, value)
	default:
		return has && value == v.value, nil
	}
}

// matchesWhole reports whether a regular expression matches a whole value.
func matchesWhole(expression, value string) (bool, error) {
	r, err := regexp.Compile(`\A(?:` + expression + `)\z`)
	if err == nil {
		return r.MatchString(value), nil
	}
	if _, own := regexp.Compile(expression); own != nil {
		err = own // without the expression around it
	}
	return false, err
}

// header returns the value of a header by its name in any case.
func (r Request) header(name string) (string, bool) {
	for key, value := range r.Headers {
		if strings.EqualFold(key, name) {
			return value, true
		}
	}
	return "", false
}

// normalized returns a path as a proxy normalizes it: escapes of letters, digits, "-", ".",
// "_" and "~" are decoded, backslashes become slashes, and dot segments are removed.
func normalized(path string) string {
	var kept []string
	segments := strings.Split(strings.ReplaceAll(decoded(path), `\`, "/"), "/")
	for i, segment := range segments[1:] {
		switch segment {
		case ".", "..":
			if segment == ".." && len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
			if i == len(segments)-2 {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}

var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

func decoded(path string) string {
	return escape.ReplaceAllStringFunc(path, func(e string) string {
		code, err := strconv.ParseUint(e[1:], 16, 8)
		c := string(rune(code))
		if err == nil && plain.MatchString(c) {
			return c
		}
		return e
	})
}

var plain = regexp.MustCompile(`^[0-9A-Za-z._~-]$`)
