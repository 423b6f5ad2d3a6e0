package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshTCPRoute decides where TCP connections go.
var MeshTCPRoute = def.Kind{
	Name: "MeshTCPRoute", Path: "meshtcproutes", ShortName: "mtcpr",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Routes TCP connections to other destinations and splits traffic between them. " +
		"On an HTTP port, connections are handled as plain TCP.",
	Use:    "Use it to split or redirect traffic that is not HTTP. For HTTP use `kuma_mesh_http_route`.",
	Policy: &def.Policy{Order: 200, To: true, Gateway: def.Gateway{ByTags: []string{""}}},
	Fields: def.Object{
		policy.TargetRefByRole(policy.AllProxies()...),
		tcpRoutes(),
	},
	Checks: def.Checks(policy.RouteDestinations),
	Design: def.Checks(policy.OneDestination),
}

// tcpRoutes may be omitted, but must not be an empty list.
func tcpRoutes() def.Field {
	f := policy.Routes(def.Field{
		Name: "rules", Required: true, Type: def.List{Elem: tcpRule}, Checks: def.Checks(def.Items(0, 1)), Design: def.Checks(routeByTag),
		Doc: "The route. At most one rule is allowed. " +
			"With an empty list, connections go to the proxies whose tag `kuma.io/service` equals the name of the destination.",
	})
	f.Checks = def.Checks(def.Items(1, check.MaxItems))
	return f
}

var tcpRule = def.Object{
	{Name: "default", Required: true, Doc: "Settings for the connections.", Type: def.Object{connectionBackends()}},
}

// connectionBackends are required, unlike the destinations of requests.
func connectionBackends() def.Field {
	f := policy.BackendRefs("Destinations of the connections, weighted by `weight`.")
	f.Required, f.RequiredByRule = true, true
	f.Checks = append(def.Checks(def.Items(1, check.MaxItems)), f.Checks...)
	return f
}

// routeByTag warns about a route without rules, which is not the same as no
// route.
var routeByTag = def.Check{Test: func(n tree.Node) []def.Problem {
	return def.WarningIf(n.Empty(), n, "Destination is treated as a tag",
		"Without a rule, connections go to the proxies whose tag kuma.io/service equals the name of the destination. "+
			"Add a rule, or remove the entry.")
}}
