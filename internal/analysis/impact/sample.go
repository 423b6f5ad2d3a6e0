package impact

import (
	"cmp"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// otherPath is the path of a request that no match of a route describes, unless it matches
// every path.
const otherPath = "/other"

// sample is a request that meets a match of a route.
type sample struct {
	hostname       string // that a gateway serves, such as *.example.com; empty for a service
	method, path   string
	headers, query map[string]string
}

// samples returns a request for each match of the entries of routes for a port, and one for
// the requests that none describes, sorted.
func samples(entries []tree.Node, port rules.Port) []sample {
	all := map[string]sample{}
	add := func(s sample) { all[s.String(port)] = s }
	for _, entry := range entries {
		for _, match := range entry.Find("rules[].matches[]") {
			if s, ok := sampleOf(match); ok {
				add(s)
			}
		}
	}
	if len(all) == 0 {
		return []sample{{path: "/"}}
	}
	out := phrase.Each(slices.Sorted(maps.Keys(all)), func(name string) sample { return all[name] })
	return append(out, sample{path: otherPath}) // last, because it is left out if another one changes in the same way
}

// sampleOf returns a request that meets a match, and false if none is found.
func sampleOf(match tree.Node) (sample, bool) {
	s := sample{headers: map[string]string{}, query: map[string]string{}}
	s.method, _ = match.Get("method").Text()
	kind, _ := match.Get("path", "type").Text()
	value, _ := match.Get("path", "value").Text()
	s.path = cmp.Or(meeting(kind, value), "/")
	for list, values := range map[string]map[string]string{"headers": s.headers, "queryParams": s.query} {
		for _, n := range match.Get(list).Items() {
			name, _ := n.Get("name").Text()
			kind, _ := n.Get("type").Text()
			value, _ := n.Get("value").Text()
			if kind != "Absent" {
				values[name] = cmp.Or(meeting(kind, value), "x")
			}
		}
	}
	return s, strings.HasPrefix(s.path, "/") && !strings.ContainsAny(s.path, "?#")
}

// meeting returns a string that meets a condition of a type, empty if none is found.
func meeting(kind, value string) string {
	if kind != "RegularExpression" {
		return value
	}
	expression, err := syntax.Parse(value, syntax.Perl)
	if err != nil {
		return ""
	}
	return shortest(expression)
}

// shortest returns a short string that meets a regular expression.
func shortest(e *syntax.Regexp) string {
	var b strings.Builder
	switch e.Op {
	case syntax.OpLiteral:
		return string(e.Rune)
	case syntax.OpCharClass:
		return string(e.Rune[:min(1, len(e.Rune))])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return shortest(e.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(shortest(e.Sub[0]), e.Min)
	case syntax.OpConcat:
		for _, part := range e.Sub {
			b.WriteString(shortest(part))
		}
	default: // what can be empty
	}
	return b.String()
}

// isRest reports whether no match describes the request.
func (s sample) isRest() bool {
	return s.method == "" && s.path == otherPath && len(s.headers)+len(s.query) == 0
}

// asks returns a host that the request can be for.
func (s sample) asks() string { return strings.Replace(s.hostname, "*", "any", 1) }

// request returns the request to a port.
func (s sample) request(mesh, dataplane string, to rules.Port) request.Request {
	return request.Request{
		Mesh: mesh, Dataplane: dataplane, Service: request.Service{Kind: to.Resource.Type, Name: kinds.KRI(to.Resource), Port: to.Number},
		Method: s.method, Path: s.path, Host: cmp.Or(s.asks(), to.Resource.Name), Headers: s.headers, Query: s.query,
	}
}

// String describes the request to a port.
func (s sample) String(to rules.Port) string {
	if !kuma.IsHTTP(to.Protocol) {
		return connections
	}
	where := s.path
	if s.hostname != "*" {
		where = s.hostname + s.path
	}
	parts := []string{cmp.Or(s.method, "GET"), where}
	query := phrase.Each(slices.Sorted(maps.Keys(s.query)), func(name string) string { return "?" + name + "=" + s.query[name] })
	headers := phrase.Each(slices.Sorted(maps.Keys(s.headers)), func(name string) string { return name + ": " + s.headers[name] })
	return strings.Join(slices.Concat(parts, query, headers), " ")
}
