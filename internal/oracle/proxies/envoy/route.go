package envoy

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"

	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	hcm "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// only fails if a message has a field that is set besides the named ones, which are
// evaluated or do not affect an answer.
func only(m proto.Message, names ...string) error {
	var err error
	m.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if !slices.Contains(names, string(f.Name())) {
			err = fmt.Errorf("%s of a %s: %w", f.Name(), m.ProtoReflect().Descriptor().Name(), ErrUnsupported)
		}
		return err == nil
	})
	return err
}

// choice is a route for the random numbers for which all conditions hold; nil if no
// route matches.
type choice struct {
	host  *route.VirtualHost
	route *route.Route
	draws []draw
}

// routesOf returns the routes of a connection manager.
func (c *Config) routesOf(m *hcm.HttpConnectionManager) (*route.RouteConfiguration, error) {
	if m.GetRouteConfig() != nil {
		return m.GetRouteConfig(), nil
	}
	name := m.GetRds().GetRouteConfigName()
	if c.Routes[name] == nil {
		return nil, fmt.Errorf("no routes %q", name)
	}
	return c.Routes[name], nil
}

// choose returns the routes that a request takes.
func choose(routes *route.RouteConfiguration, p peer) ([]choice, error) {
	if err := only(routes, "name", "virtual_hosts", "request_headers_to_add", "request_headers_to_remove", "response_headers_to_add",
		"response_headers_to_remove", "validate_clusters", "max_direct_response_body_size_bytes", "ignore_path_parameters_in_path_matching",
		"ignore_port_in_host_matching"); err != nil {
		return nil, err
	}
	host := hostFor(routes.GetVirtualHosts(), p.request.Host)
	if host == nil {
		return []choice{{}}, nil
	}
	if err := only(host, "name", "domains", "routes", "request_headers_to_add", "request_headers_to_remove", "response_headers_to_add",
		"response_headers_to_remove", "retry_policy", "require_tls"); err != nil {
		return nil, err
	}
	var choices []choice
	var missed []draw // fractions of the routes before
	for _, r := range host.GetRoutes() {
		matches, err := matchRoute(r.GetMatch(), p)
		if err != nil {
			return nil, fmt.Errorf("route %q: %w", r.GetName(), err)
		}
		if !matches {
			continue
		}
		fraction := r.GetMatch().GetRuntimeFraction().GetDefaultValue()
		if fraction == nil {
			return append(choices, choice{host, r, missed}), nil
		}
		total, hit := denominator(fraction), int64(fraction.GetNumerator())
		choices = append(choices, choice{host, r, append(slices.Clone(missed), draw{total, 0, min(hit, total)})})
		missed = append(slices.Clone(missed), draw{total, min(hit, total), total})
	}
	return append(choices, choice{host: host, draws: missed}), nil
}

// hostFor returns the virtual host for a host: the one with that domain, or else the
// longest suffix, the longest prefix, or all domains.
func hostFor(hosts []*route.VirtualHost, name string) *route.VirtualHost {
	if h, _, err := net.SplitHostPort(name); err == nil {
		name = h
	}
	name = strings.ToLower(name)
	var found *route.VirtualHost
	best := -1
	for _, h := range hosts {
		for _, domain := range h.GetDomains() {
			if r := domainRank(strings.ToLower(domain), name); r > best {
				found, best = h, r
			}
		}
	}
	return found
}

func domainRank(domain, name string) int {
	suffix, isSuffix := strings.CutPrefix(domain, "*")
	prefix, isPrefix := strings.CutSuffix(domain, "*")
	switch {
	case domain == "*":
		return 0
	case domain == name:
		return 3000
	case isSuffix && len(name) > len(suffix) && strings.HasSuffix(name, suffix):
		return 2000 + len(suffix)
	case isPrefix && len(name) > len(prefix) && strings.HasPrefix(name, prefix):
		return 1000 + len(prefix)
	default:
		return -1
	}
}

// matchRoute evaluates the match of a route, except for its fraction.
func matchRoute(m *route.RouteMatch, p peer) (bool, error) {
	if err := only(m, "prefix", "path", "safe_regex", "path_separated_prefix", "case_sensitive", "headers", "query_parameters", "filter_state",
		"runtime_fraction"); err != nil {
		return false, err
	}
	path, err := matchPath(m, p.request.Path)
	if err != nil || !path {
		return false, err
	}
	headers, err := allOf(m.GetHeaders(), func(m *route.HeaderMatcher) (bool, error) { return matchHeader(m, p.request.header) })
	if err != nil || !headers {
		return false, err
	}
	query, err := allOf(m.GetQueryParameters(), func(m *route.QueryParameterMatcher) (bool, error) { return matchQuery(m, p.request.Query) })
	if err != nil || !query {
		return false, err
	}
	for _, s := range m.GetFilterState() {
		value, ok := p.filterStates[s.GetKey()]
		if !ok || s.GetStringMatch() == nil {
			return false, nil
		}
		if ok, err := matchString(s.GetStringMatch(), value); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// matchPath evaluates the match of a path without its query.
func matchPath(m *route.RouteMatch, path string) (bool, error) {
	fold := strings.ToLower
	if m.GetCaseSensitive() == nil || m.GetCaseSensitive().GetValue() {
		fold = func(s string) string { return s }
	}
	switch t := m.GetPathSpecifier().(type) {
	case *route.RouteMatch_Prefix:
		return strings.HasPrefix(fold(path), fold(t.Prefix)), nil
	case *route.RouteMatch_Path:
		return fold(path) == fold(t.Path), nil
	case *route.RouteMatch_PathSeparatedPrefix:
		rest, ok := strings.CutPrefix(fold(path), fold(t.PathSeparatedPrefix))
		return ok && (rest == "" || rest[0] == '/'), nil
	case *route.RouteMatch_SafeRegex:
		return matchRegex(t.SafeRegex.GetRegex(), path)
	default:
		return false, fmt.Errorf("a path match of type %T: %w", t, ErrUnsupported)
	}
}

// describe returns the match of the path and of the client for people.
func describe(m *route.RouteMatch) string {
	var text string
	switch t := m.GetPathSpecifier().(type) {
	case *route.RouteMatch_Prefix:
		text = "prefix " + t.Prefix
	case *route.RouteMatch_Path:
		text = "path " + t.Path
	case *route.RouteMatch_PathSeparatedPrefix:
		text = "path below " + t.PathSeparatedPrefix
	default:
		text = "regex " + m.GetSafeRegex().GetRegex()
	}
	for _, s := range m.GetFilterState() {
		text += fmt.Sprintf(", %s %s", s.GetKey(), cmp.Or(s.GetStringMatch().GetExact(), s.GetStringMatch().GetPrefix()+"*"))
	}
	return text
}
