package proxies_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// The functions in this file evaluate Envoy configuration as Envoy documents it.
// They share no code with the engine.

const (
	listenerType = "type.googleapis.com/envoy.config.listener.v3.Listener"
	clusterType  = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
)

// connectionManager returns the HTTP connection manager of the inbound listener
// for a port, and whether its filter chain requires TLS.
func connectionManager(config object, port int) (manager object, tls bool, err error) {
	for _, l := range tree.Object(config[listenerType]) {
		address := tree.Object(tree.Object(tree.Object(l)["address"])["socketAddress"])
		if tree.Text(tree.Object(l)["trafficDirection"]) != "INBOUND" || tree.Int(address["portValue"]) != port {
			continue
		}
		for _, chain := range tree.Objects(tree.Object(l)["filterChains"]) {
			for _, filter := range tree.Objects(chain["filters"]) {
				if tree.Text(filter["name"]) == "envoy.filters.network.http_connection_manager" {
					return tree.Object(filter["typedConfig"]), chain["transportSocket"] != nil, nil
				}
			}
		}
	}
	return nil, false, fmt.Errorf("no HTTP listener for port %d", port)
}

// client presents a certificate.
type client struct {
	names []string // URIs of the certificate
	tags  map[string]string
}

// permits reports whether the RBAC filter of a connection manager lets a client
// through, and whether there is such a filter.
func permits(manager object, c client) (allowed, checked bool) {
	for _, filter := range tree.Objects(manager["httpFilters"]) {
		if tree.Text(filter["name"]) != "envoy.filters.http.rbac" {
			continue
		}
		rbac := tree.Object(filter["typedConfig"])
		if matcher := tree.Object(rbac["matcher"]); matcher != nil {
			return tree.Text(decide(matcher, strings.Join(c.names, ","))["action"]) != "DENY", true
		}
		for _, policy := range tree.Object(tree.Object(rbac["rules"])["policies"]) {
			if slices.ContainsFunc(tree.Objects(tree.Object(policy)["principals"]), func(p object) bool { return isPrincipal(p, c.names) }) {
				return true, true
			}
		}
		return false, true
	}
	return true, false
}

// decide returns the action of a matcher for the names of a certificate, which
// its input joins with commas.
func decide(matcher object, names string) object {
	on := tree.Object(matcher["onNoMatch"])
	for _, m := range tree.Objects(tree.Object(matcher["matcherList"])["matchers"]) {
		if holds(tree.Object(m["predicate"]), names) {
			on = tree.Object(m["onMatch"])
			break
		}
	}
	if nested := tree.Object(on["matcher"]); nested != nil {
		return decide(nested, names)
	}
	return tree.Object(tree.Object(on["action"])["typedConfig"])
}

func holds(predicate object, names string) bool {
	inner := func(list any) []object { return tree.Objects(tree.Object(list)["predicate"]) }
	switch {
	case predicate["singlePredicate"] != nil:
		return textMatches(tree.Object(tree.Object(predicate["singlePredicate"])["valueMatch"]), names)
	case predicate["orMatcher"] != nil:
		return slices.ContainsFunc(inner(predicate["orMatcher"]), func(p object) bool { return holds(p, names) })
	case predicate["andMatcher"] != nil:
		return !slices.ContainsFunc(inner(predicate["andMatcher"]), func(p object) bool { return !holds(p, names) })
	default:
		panic(fmt.Sprintf("unknown predicate %v", predicate))
	}
}

// isPrincipal reports whether one of the names of a certificate is a principal.
func isPrincipal(p object, names []string) bool {
	inner := func(list any) []object { return tree.Objects(tree.Object(list)["ids"]) }
	switch {
	case p["any"] != nil:
		return true
	case p["authenticated"] != nil:
		name := tree.Object(tree.Object(p["authenticated"])["principalName"])
		return slices.ContainsFunc(names, func(n string) bool { return textMatches(name, n) })
	case p["andIds"] != nil:
		return !slices.ContainsFunc(inner(p["andIds"]), func(p object) bool { return !isPrincipal(p, names) })
	case p["orIds"] != nil:
		return slices.ContainsFunc(inner(p["orIds"]), func(p object) bool { return isPrincipal(p, names) })
	case p["notId"] != nil:
		return !isPrincipal(tree.Object(p["notId"]), names)
	default:
		panic(fmt.Sprintf("unknown principal %v", p))
	}
}

func textMatches(match object, text string) bool {
	switch {
	case match["exact"] != nil:
		return text == tree.Text(match["exact"])
	case match["prefix"] != nil:
		return strings.HasPrefix(text, tree.Text(match["prefix"]))
	default:
		panic(fmt.Sprintf("unknown match %v", match))
	}
}

// route is a route of an inbound, with the timeout of its cluster.
type route struct{ match, request, idle, connect string }

// routes returns the routes of a connection manager.
func routes(config, manager object) []route {
	var out []route
	for _, host := range tree.Objects(tree.Object(manager["routeConfig"])["virtualHosts"]) {
		for _, r := range tree.Objects(host["routes"]) {
			to := tree.Object(r["route"])
			cluster := tree.Object(tree.Object(config[clusterType])[tree.Text(to["cluster"])])
			found := route{request: tree.Text(to["timeout"]), idle: tree.Text(to["idleTimeout"]), connect: tree.Text(cluster["connectTimeout"])}
			for _, state := range tree.Objects(tree.Object(r["match"])["filterState"]) {
				for kind, value := range tree.Object(state["stringMatch"]) {
					found.match += kind + " " + tree.Text(value)
				}
			}
			out = append(out, found)
		}
	}
	return out
}
