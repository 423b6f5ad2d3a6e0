package kinds

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshHTTPRoute decides where HTTP requests go and what changes on the way.
var MeshHTTPRoute = def.Kind{
	Name: "MeshHTTPRoute", Path: "meshhttproutes", ShortName: "mhttpr",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Routes HTTP requests by path, method, headers and query parameters: to other destinations, in shares, changed, copied or answered with a redirect.",
	Policy: &def.Policy{Order: 100, To: true},
	Fields: def.Object{
		topRefByRole(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		routes(
			def.Field{
				Name: "hostnames", Type: def.List{Elem: def.String}, Merge: def.SplitByValue,
				Doc: "Host names of the gateway that the routes are for; a leading `*.` stands for any name below. Those of the listener when unset. Only with MeshGateway as top-level reference.",
			},
			def.Field{
				Name: "rules", Required: true, Type: def.List{Elem: httpRule}, Merge: def.MergeByMatches, Checks: def.Checks(def.Each(prefixIsMatched)), Design: def.Checks(matchesOnce),
				Doc: "The routes. The most specific one whose matches fit a request decides, whatever their order here.",
			},
		),
	},
	Checks: def.Checks(routeDestinations, httpRouteOfGateway),
	Design: def.Checks(oneDestination),
}

var httpRule = def.Object{
	{
		Name: "matches", Required: true, Type: def.List{Elem: httpMatch}, Checks: def.Checks(def.Items(1, maxItems)),
		Doc: "Conditions, any of which selects a request. Rules of several policies with the same matches are merged.",
	},
	{Name: "default", Required: true, Design: def.Checks(redirectHidesBackends), Doc: "What happens with the request.", Type: def.Object{
		{
			Name: "filters", Type: def.List{Elem: httpFilter},
			Checks: def.Checks(def.Each(def.ByType(filters...))), Design: def.Checks(def.Each(def.Unused(filters...)), redirectIsLast),
			Doc: "Changes of request and response, in the order in which they are made. Nothing changes when unset.",
		},
		{
			Name: "backendRefs", Type: def.List{Elem: backend}, Checks: def.Checks(backendChecks), Design: destinations,
			Doc: "Where the request goes, in shares given by `weight`. To the destination that the client called when unset. " +
				"With MeshGateway as top-level reference it is needed, unless a filter redirects the request.",
		},
	}},
}

// httpMatch is one condition on a request.
var httpMatch = def.Object{
	{Name: "path", Doc: "Condition on the path. Any path fits when unset.", Checks: def.Checks(pathValue), Design: def.Checks(regexCompiles(typeRegex, "value")), Type: def.Object{
		{
			Name: "value", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()),
			Doc: "The path, its beginning, or a regular expression in the syntax of RE2.",
		},
		{
			Name: "type", Type: def.String, Required: true, OneOf: []string{"Exact", "PathPrefix", typeRegex},
			Doc: "How the value is compared. `PathPrefix` compares whole segments: `/api` fits `/api/v1`, but not `/apis`.",
		},
	}},
	{
		Name: "method", Type: def.String, OneOf: []string{"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"},
		Doc: "Method of the request. Any fits when unset.",
	},
	{
		Name: "queryParams", Doc: "Query parameters, which must all fit.", Checks: def.Checks(def.Unique("name")), Design: def.Checks(def.Each(regexCompiles(typeRegex, "value"))),
		Type: def.List{Elem: def.Object{
			{
				Name: "type", Type: def.String, Required: true, OneOf: []string{"Exact", typeRegex},
				Doc: "How the value is compared.",
			},
			{Name: "name", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()), Doc: "Name of the parameter."},
			{Name: "value", Type: def.String, Required: true, Doc: "Value of the parameter, or a regular expression in the syntax of RE2."},
		}},
	},
	{
		Name: "headers", Doc: "Headers, which must all fit.", Checks: def.Checks(def.Each(presenceHasNoValue)), Design: headerConditions,
		Type: def.List{Elem: headerMatch},
	},
}

// pathValue: paths are compared from the root, and a prefix by whole segments.
var pathValue = def.Check{
	Doc: "The value begins with `/` unless it is a regular expression; a prefix does not end with `/`.",
	Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("type").Text()
		value := n.Get("value")
		path, ok := value.Text()
		switch {
		case !ok || path == "" || kind != "Exact" && kind != "PathPrefix":
			return nil
		case !strings.HasPrefix(path, "/"):
			return []def.Problem{def.ErrorAt(value, "Path is not absolute", fmt.Sprintf("%q can never fit, because paths begin with \"/\". Write %q.", path, "/"+path))}
		case kind == "PathPrefix" && path != "/" && strings.HasSuffix(path, "/"):
			return []def.Problem{def.ErrorAt(value, "Prefix ends with a slash", fmt.Sprintf("A prefix is compared by whole segments. Write %q.", strings.TrimRight(path, "/")))}
		}
		return nil
	},
}

var presenceHasNoValue = def.Check{Test: func(n tree.Node) []def.Problem {
	kind, _ := n.Get("type").Text()
	if kind != "Present" && kind != "Absent" {
		return nil
	}
	return def.Refused(n.Get("value"), fmt.Sprintf("%s looks only at whether the header is there. Remove the value, or choose another type.", kind))
}}

// httpRouteOfGateway: a gateway has host names, but no destination that the
// client called.
var httpRouteOfGateway = def.Check{Test: func(n tree.Node) []def.Problem {
	top := TopKind(n)
	if top == "" {
		return nil
	}
	var problems []def.Problem
	for _, entry := range n.Get("to").Items() {
		if top != kuma.KindMeshGateway {
			problems = append(problems, def.Refused(entry.Get("hostnames"), "Only a gateway has host names to choose from, and the policy's targetRef is "+top+". Remove them.")...)
		}
		for _, rule := range entry.Get("rules").Items() {
			conf := rule.Get("default")
			switch {
			case top != kuma.KindMeshGateway:
				problems = append(problems, gatewayFilters(conf)...)
			case conf.Known() && conf.Get("backendRefs").Empty() && !redirects(conf.Get("filters")):
				refs := conf.Get("backendRefs")
				problems = append(problems, def.ErrorAt(refs, "The route leads nowhere", "A request to a gateway has no destination of its own. Add backendRefs, or a filter of type RequestRedirect."))
			}
		}
	}
	return problems
}}

// redirects reports whether a filter may answer the request.
func redirects(filters tree.Node) bool {
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
