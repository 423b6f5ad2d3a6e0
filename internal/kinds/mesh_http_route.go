package kinds

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshHTTPRoute decides where HTTP requests go and what changes on the way.
var MeshHTTPRoute = spec.Kind{
	Name: "MeshHTTPRoute", Path: "meshhttproutes", ShortName: "mhttpr",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Routes HTTP requests by path, method, headers and query parameters: to other destinations, in shares, changed, copied or answered with a redirect.",
	Policy: &spec.Policy{Order: 100, To: true},
	Fields: spec.Object{
		topRefByRole(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		routes(
			spec.Field{
				Name: "hostnames", Type: spec.List{Elem: spec.String}, Merge: spec.SplitByValue,
				Doc: "Host names of the gateway that the routes are for; a leading `*.` stands for any name below. Those of the listener when unset. Only with MeshGateway as top-level reference.",
				Readiness: []spec.Condition{{
					ID: "K3-044", Effect: spec.Breaks,
					Doc: "The route has host names, which only builtin gateways use. Kuma 3.0 refuses them.",
					Do:  "Remove the host names.",
				}},
			},
			spec.Field{
				Name: "rules", Required: true, Type: spec.List{Elem: httpRule}, Merge: spec.MergeByMatches, Checks: spec.Checks(spec.Each(prefixIsMatched)), Design: spec.Checks(matchesOnce),
				Doc: "The routes. The most specific one whose matches fit a request decides, whatever their order here.",
			},
		),
	},
	Checks: spec.Checks(routeDestinations, httpRouteOfGateway),
	Design: spec.Checks(oneDestination),
}

var httpRule = spec.Object{
	{
		Name: "matches", Required: true, Type: spec.List{Elem: httpMatch}, Checks: spec.Checks(spec.Items(1, maxItems)),
		Doc: "Conditions, any of which selects a request. Rules of several policies with the same matches are merged.",
	},
	{Name: "default", Required: true, Design: spec.Checks(redirectHidesBackends), Doc: "What happens with the request.", Type: spec.Object{
		{
			Name: "filters", Type: spec.List{Elem: httpFilter},
			Checks: spec.Checks(spec.Each(spec.ByType(filters...))), Design: spec.Checks(spec.Each(spec.Unused(filters...)), redirectIsLast),
			Doc: "Changes of request and response, in the order in which they are made. Nothing changes when unset.",
		},
		{
			Name: "backendRefs", Type: spec.List{Elem: backend}, Checks: spec.Checks(backendChecks), Design: destinations, Readiness: backendReadiness("[]"),
			Doc: "Where the request goes, in shares given by `weight`. To the destination that the client called when unset. " +
				"With MeshGateway as top-level reference it is needed, unless a filter redirects the request.",
		},
	}},
}

// httpMatch is one condition on a request.
var httpMatch = spec.Object{
	{Name: "path", Doc: "Condition on the path. Any path fits when unset.", Checks: spec.Checks(pathValue), Design: spec.Checks(regexCompiles(typeRegex, "value")), Type: spec.Object{
		{
			Name: "value", Type: spec.String, Required: true, Checks: spec.Checks(spec.NotEmpty()),
			Doc: "The path, its beginning, or a regular expression in the syntax of RE2.",
		},
		{
			Name: "type", Type: spec.String, Required: true, OneOf: []string{"Exact", "PathPrefix", typeRegex},
			Doc: "How the value is compared. `PathPrefix` compares whole segments: `/api` fits `/api/v1`, but not `/apis`.",
		},
	}},
	{
		Name: "method", Type: spec.String, OneOf: []string{"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"},
		Doc: "Method of the request. Any fits when unset.",
	},
	{
		Name: "queryParams", Doc: "Query parameters, which must all fit.", Checks: spec.Checks(spec.Unique("name")), Design: spec.Checks(spec.Each(regexCompiles(typeRegex, "value"))),
		Type: spec.List{Elem: spec.Object{
			{
				Name: "type", Type: spec.String, Required: true, OneOf: []string{"Exact", typeRegex},
				Doc: "How the value is compared.",
			},
			{Name: "name", Type: spec.String, Required: true, Checks: spec.Checks(spec.NotEmpty()), Doc: "Name of the parameter."},
			{Name: "value", Type: spec.String, Required: true, Doc: "Value of the parameter, or a regular expression in the syntax of RE2."},
		}},
	},
	{
		Name: "headers", Doc: "Headers, which must all fit.", Checks: spec.Checks(spec.Each(presenceHasNoValue)), Design: headerConditions,
		Type: spec.List{Elem: headerMatch},
	},
}

// pathValue: paths are compared from the root, and a prefix by whole segments.
var pathValue = spec.Check{
	Doc: "The value begins with `/` unless it is a regular expression; a prefix does not end with `/`.",
	Test: func(n spec.Node) []spec.Problem {
		kind, _ := n.Get("type").Text()
		value := n.Get("value")
		path, ok := value.Text()
		switch {
		case !ok || path == "" || kind != "Exact" && kind != "PathPrefix":
			return nil
		case !strings.HasPrefix(path, "/"):
			return []spec.Problem{value.Problem("Path is not absolute", fmt.Sprintf("%q can never fit, because paths begin with \"/\". Write %q.", path, "/"+path))}
		case kind == "PathPrefix" && path != "/" && strings.HasSuffix(path, "/"):
			return []spec.Problem{value.Problem("Prefix ends with a slash", fmt.Sprintf("A prefix is compared by whole segments. Write %q.", strings.TrimRight(path, "/")))}
		}
		return nil
	},
}

var presenceHasNoValue = spec.Check{Test: func(n spec.Node) []spec.Problem {
	kind, _ := n.Get("type").Text()
	if kind != "Present" && kind != "Absent" {
		return nil
	}
	return spec.Refused(n.Get("value"), fmt.Sprintf("%s looks only at whether the header is there. Remove the value, or choose another type.", kind))
}}

// httpRouteOfGateway: a gateway has host names, but no destination that the
// client called.
var httpRouteOfGateway = spec.Check{Test: func(n spec.Node) []spec.Problem {
	top := topKind(n)
	if top == "" {
		return nil
	}
	var problems []spec.Problem
	for _, entry := range n.Get("to").Items() {
		if top != mesh.KindMeshGateway {
			problems = append(problems, spec.Refused(entry.Get("hostnames"), "Only a gateway has host names to choose from, and the policy's targetRef is "+top+". Remove them.")...)
		}
		for _, rule := range entry.Get("rules").Items() {
			conf := rule.Get("default")
			switch {
			case top != mesh.KindMeshGateway:
				problems = append(problems, gatewayFilters(conf)...)
			case conf.Known() && conf.Get("backendRefs").Empty() && !redirects(conf.Get("filters")):
				refs := conf.Get("backendRefs")
				problems = append(problems, refs.Problem("The route leads nowhere", "A request to a gateway has no destination of its own. Add backendRefs, or a filter of type RequestRedirect."))
			}
		}
	}
	return problems
}}

// redirects reports whether a filter may answer the request.
func redirects(filters spec.Node) bool {
	if filters.Unknown() {
		return true
	}
	for _, f := range filters.Items() {
		kind := f.Get("type")
		if s, _ := kind.Text(); s == filterRedirect || kind.Unknown() {
			return true
		}
	}
	return false
}
