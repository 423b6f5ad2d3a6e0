package envoy

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	matcher "github.com/envoyproxy/go-control-plane/envoy/type/matcher/v3"
)

// rewritten returns the path after the rewrites of a route or of a redirect.
func rewritten(m *route.RouteMatch, prefix string, regex *matcher.RegexMatchAndSubstitute, path string) (string, error) {
	switch {
	case regex != nil:
		r, err := regexp.Compile(regex.GetPattern().GetRegex())
		if err != nil {
			return "", err
		}
		// RE2 writes groups with a backslash, where Go has a dollar.
		to := regexp.MustCompile(`\\(\d)`).ReplaceAllString(strings.ReplaceAll(regex.GetSubstitution(), "$", "$$"), "$${$1}")
		return r.ReplaceAllString(path, to), nil
	case prefix != "":
		matched := cmp.Or(m.GetPrefix(), m.GetPath(), m.GetPathSeparatedPrefix())
		if m.GetSafeRegex() != nil {
			return "", fmt.Errorf("a prefix that replaces a regular expression: %w", ErrUnsupported)
		}
		return prefix + path[len(matched):], nil
	default:
		return path, nil
	}
}

// location returns the status and the URL of a redirect.
func location(m *route.RouteMatch, redirect *route.RedirectAction, r Request) (int, string, error) {
	if err := only(redirect, "scheme_redirect", "https_redirect", "host_redirect", "port_redirect", "path_redirect", "prefix_rewrite",
		"regex_rewrite",
		"response_code", "strip_query"); err != nil {
		return 0, "", err
	}
	scheme := cmp.Or(redirect.GetSchemeRedirect(), "http")
	if redirect.GetHttpsRedirect() {
		scheme = "https"
	}
	host := cmp.Or(redirect.GetHostRedirect(), r.Host)
	if port := redirect.GetPortRedirect(); port != 0 {
		host = net.JoinHostPort(host, strconv.Itoa(int(port)))
	}
	path, err := rewritten(m, redirect.GetPrefixRewrite(), redirect.GetRegexRewrite(), r.Path)
	status := map[route.RedirectAction_RedirectResponseCode]int{
		route.RedirectAction_MOVED_PERMANENTLY:  http.StatusMovedPermanently,
		route.RedirectAction_FOUND:              http.StatusFound,
		route.RedirectAction_SEE_OTHER:          http.StatusSeeOther,
		route.RedirectAction_TEMPORARY_REDIRECT: http.StatusTemporaryRedirect,
		route.RedirectAction_PERMANENT_REDIRECT: http.StatusPermanentRedirect,
	}[redirect.GetResponseCode()]
	return status, scheme + "://" + host + cmp.Or(redirect.GetPathRedirect(), path), err
}

// headers are the changes of headers at one level: a route, a virtual host or all
// routes.
type headers interface {
	GetRequestHeadersToAdd() []*core.HeaderValueOption
	GetRequestHeadersToRemove() []string
}

// change applies changes of headers, the most specific level first.
func (r Request) change(levels ...headers) (Request, error) {
	for _, level := range levels {
		for _, name := range level.GetRequestHeadersToRemove() {
			r = r.with(name, nil, false)
		}
		for _, option := range level.GetRequestHeadersToAdd() {
			name, value := option.GetHeader().GetKey(), option.GetHeader().GetValue()
			if strings.Contains(value, "%") {
				return r, fmt.Errorf("the value %q of a header: %w", value, ErrUnsupported)
			}
			_, exists := r.header(strings.ToLower(name))
			switch option.GetAppendAction() {
			case core.HeaderValueOption_APPEND_IF_EXISTS_OR_ADD:
				r = r.with(name, &value, true)
			case core.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD:
				r = r.with(name, &value, false)
			case core.HeaderValueOption_ADD_IF_ABSENT:
				if !exists {
					r = r.with(name, &value, false)
				}
			case core.HeaderValueOption_OVERWRITE_IF_EXISTS:
				if exists {
					r = r.with(name, &value, false)
				}
			}
		}
	}
	return r, nil
}

// responseChanges returns the changes of headers of the response.
func responseChanges(r *route.Route) []HeaderChange {
	var changes []HeaderChange
	for _, name := range r.GetResponseHeadersToRemove() {
		changes = append(changes, HeaderChange{Action: "remove", Name: name})
	}
	for _, option := range r.GetResponseHeadersToAdd() {
		action := "set"
		if option.GetAppendAction() == core.HeaderValueOption_APPEND_IF_EXISTS_OR_ADD {
			action = "add"
		}
		changes = append(changes, HeaderChange{Action: action, Name: option.GetHeader().GetKey(), Value: option.GetHeader().GetValue()})
	}
	return changes
}
