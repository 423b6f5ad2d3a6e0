package kinds

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshHTTPRoute decides where HTTP requests go and what changes on the way.
var MeshHTTPRoute = def.Kind{
	Name: "MeshHTTPRoute", Path: "meshhttproutes", ShortName: "mhttpr",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Routes HTTP requests by path, method, headers and query parameters. " +
		"It can send them to other destinations, split, rewrite and mirror traffic, and respond with redirects.",
	Use: "Use it for canary releases, redirects, rewrites and mirroring of HTTP traffic. " +
		"Other policies can refer to the route to set timeouts or retries per route. For other protocols use `kuma_mesh_tcp_route`.",
	Policy: &def.Policy{Order: 100, To: true, Gateway: def.Gateway{ByTags: []string{""}}},
	Fields: def.Object{
		policy.TargetRefByRole(policy.AllProxies()...),
		policy.Routes(
			def.Field{
				Name: "hostnames", Type: def.List{Elem: def.String}, Merge: def.SplitByValue,
				Removed: def.RemovedIn3("Kuma 3.0 has no builtin gateways. Remove it."),
				Doc: "Host names of the gateway that the routes apply to; a leading `*.` matches any subdomain. " +
					"Defaults to those of the listener. Only valid with MeshGateway as top-level reference.",
			},
			def.Field{
				Name: "rules", Required: true, Type: def.List{Elem: httpRule}, Merge: def.MergeByMatches,
				Checks: def.Checks(def.Each(policy.PrefixIsMatched)), Design: def.Checks(matchesOnce),
				Doc: "Routes. A request uses the most specific rule that matches it; the order of the rules does not matter.",
			},
		),
	},
	Checks: def.Checks(policy.RouteDestinations, httpRouteOfGateway),
	Design: def.Checks(policy.OneDestination, policy.PathIsJoined),
}

var httpRule = def.Object{
	{
		Name: "matches", Required: true, Type: def.List{Elem: httpMatch}, Elements: &def.Elements{Noun: "requests", Parts: requests},
		Checks: def.Checks(def.Items(1, check.MaxItems)),
		Doc:    "Conditions that select requests; one of them must match. Rules of several policies with the same matches are merged.",
	},
	{
		Name: "default", Required: true, Design: def.Checks(policy.RedirectHidesBackends), Doc: "Settings for matching requests.",
		Type: def.Object{
			policy.HTTPFilters,
			policy.BackendRefs("Destinations of the request, weighted by `weight`. Defaults to the destination that the client called. "+
				"Required with MeshGateway as top-level reference, unless a filter redirects the request.", policy.BackendFilters),
		},
	},
}

// httpMatch is one condition on a request.
var httpMatch = def.Object{
	{
		Name: "path", Doc: "Condition on the path. Any path matches by default.", Checks: def.Checks(pathValue),
		Design: def.Checks(check.RegexCompiles(check.TypeRegex, "value")), Type: def.Object{
			def.String.Required("value", "Path, prefix or RE2 regular expression, depending on `type`.", def.NotEmpty()),
			{
				Name: "type", Type: def.String, Required: true, OneOf: []string{"Exact", "PathPrefix", check.TypeRegex},
				Doc: "How to match the value. `PathPrefix` matches whole segments: `/api` matches `/api/v1` but not `/apis`.",
			},
		},
	},
	{
		Name: "method", Type: def.String, OneOf: []string{"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"},
		Doc: "Method of the request. Any method matches by default.",
	},
	{
		Name: "queryParams", Doc: "Conditions on query parameters. All of them must match.", DropsEmpty: kuma.Before("2.10"),
		Checks: def.Checks(def.Unique("name")), Design: def.Checks(def.Each(check.RegexCompiles(check.TypeRegex, "value"))),
		Type: def.List{Elem: def.Object{
			{
				Name: "type", Type: def.String, Required: true, OneOf: []string{"Exact", check.TypeRegex},
				Doc: "How to match the value.",
			},
			def.String.Required("name", "Name of the parameter.", def.NotEmpty()),
			def.String.Required("value", "Value or RE2 regular expression, depending on `type`."),
		}},
	},
	{
		Name: "headers", Doc: "Conditions on headers. All of them must match.", DropsEmpty: kuma.Before("2.10"),
		Checks: def.Checks(def.Each(presenceHasNoValue)), Design: object.HeaderMatchRules,
		Type: def.List{Elem: object.HeaderMatch},
	},
}

// requests describes a condition on requests.
func requests(match tree.Node) []string {
	var conditions []string
	add := func(what string, n tree.Node) {
		kind, _ := n.Get("type").Text()
		value, _ := n.Get("value").Text()
		if name, ok := n.Get("name").Text(); ok {
			what += " " + name
		}
		switch kind {
		case "Present", "Absent":
			what += " " + strings.ToLower(kind)
		case "Prefix", "PathPrefix":
			what += " prefix " + value
		case check.TypeRegex:
			what += " matching " + value
		default:
			what += " " + value
		}
		conditions = append(conditions, what)
	}
	if path := match.Get("path"); path.Known() {
		add("path", path)
	}
	if method, ok := match.Get("method").Text(); ok {
		conditions = append(conditions, "method "+method)
	}
	for _, header := range match.Get("headers").Items() {
		add("header", header)
	}
	for _, parameter := range match.Get("queryParams").Items() {
		add("query parameter", parameter)
	}
	if len(conditions) == 0 {
		conditions = append(conditions, "any request")
	}
	return []string{strings.Join(conditions, " and ")}
}

// pathValue checks that a path begins with a slash, and that a prefix, which
// matches whole segments, does not end with one.
var pathValue = def.Check{
	Doc: "The value must begin with `/` unless it is a regular expression. A prefix must not end with `/`.",
	Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("type").Text()
		value := n.Get("value")
		path, ok := value.Text()
		switch {
		case !ok || path == "" || kind != "Exact" && kind != "PathPrefix":
			return nil
		case !strings.HasPrefix(path, "/"):
			return []def.Problem{def.ErrorAt(value, "Path is not absolute",
				fmt.Sprintf("The path must begin with \"/\", so %q never matches. Use %q.", path, "/"+path))}
		case kind == "PathPrefix" && path != "/" && strings.HasSuffix(path, "/"):
			return []def.Problem{def.ErrorAt(value, "Prefix ends with a slash",
				fmt.Sprintf("A prefix matches whole segments and must not end with \"/\". Use %q.", strings.TrimRight(path, "/")))}
		}
		return nil
	},
}

var presenceHasNoValue = def.Check{Test: func(n tree.Node) []def.Problem {
	kind, _ := n.Get("type").Text()
	if kind != "Present" && kind != "Absent" {
		return nil
	}
	return def.Rejected(n.Get("value"), fmt.Sprintf("%s only checks whether the header exists. Remove the value, or use another type.", kind))
}}

// httpRouteOfGateway checks host names, which only gateways have, and that
// requests to a gateway have a destination: there is none that the client
// called.
var httpRouteOfGateway = def.Check{Test: func(n tree.Node) []def.Problem {
	top := policy.TopKind(n)
	if top == "" {
		return nil
	}
	var problems []def.Problem
	for _, entry := range n.Get("to").Items() {
		if top != kuma.KindMeshGateway {
			problems = append(problems, def.RejectedUnread(entry.Get("hostnames"),
				"Host names are only valid with MeshGateway as top-level reference, but the targetRef of the policy is "+top+". Remove them.")...)
		}
		for _, rule := range entry.Get("rules").Items() {
			conf := rule.Get("default")
			switch {
			case top != kuma.KindMeshGateway:
				problems = append(problems, policy.GatewayFilters(conf)...)
			case conf.Known() && conf.Get("backendRefs").Empty() && !policy.Redirects(conf.Get("filters")):
				refs := conf.Get("backendRefs")
				problems = append(problems, def.ErrorAt(refs, "Missing destination",
					"Requests to a gateway have no default destination. Set backendRefs, or add a filter of type RequestRedirect."))
			}
		}
	}
	return problems
}}

// matchesOnce warns about rules that become one with an earlier one.
var matchesOnce = def.Check{Test: func(n tree.Node) []def.Problem {
	matches := func(rule tree.Node) (string, bool) {
		return phrase.JSON(rule.Get("matches").Value()), rule.Get("matches").Complete()
	}
	return def.Repeated(n.Items(), matches, func(rule tree.Node, _ string) def.Problem {
		return def.WarningAt(rule.Get("matches"), "Duplicate matches",
			"An earlier rule has the same matches. The two are merged, and the earlier one takes precedence. Combine them into one rule.")
	})
}}
