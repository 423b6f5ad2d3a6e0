package check

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// anyHost is the host name of a listener that serves all host names.
const anyHost = "*"

// GatewayListeners checks the listeners of a MeshGateway with the same port,
// which the gateway combines.
var GatewayListeners = def.Check{
	Doc: "Listeners on the same port must have the same protocol, the same `connectionLimit` and different host names.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		for i, l := range n.Items() {
			beside := slices.DeleteFunc(n.Items(), func(o tree.Node) bool { return !samePort(l, o) || o.Path[len(o.Path)-1] == i })
			if slices.ContainsFunc(beside, func(o tree.Node) bool { return differ(l.Get("protocol"), o.Get("protocol")) }) {
				problems = append(problems, def.ErrorAt(l, "Conflicting protocols on one port",
					"All listeners on a port must have the same protocol. Change the protocol or the port."))
			}
			if slices.ContainsFunc(beside, func(o tree.Node) bool { return servedHost(l) != "" && servedHost(l) == servedHost(o) }) {
				problems = append(problems, def.ErrorAt(l, "Duplicate host name on one port",
					"Another listener on this port has the same host name. An omitted host name means \"*\". Change the host name or the port."))
			}
			limit := l.Get("resources", "connectionLimit")
			if slices.ContainsFunc(beside, func(o tree.Node) bool { return differ(limit, o.Get("resources", "connectionLimit")) }) {
				problems = append(problems, def.ErrorAt(limit, "Conflicting limits on one port",
					"All listeners on a port that set a connection limit must set the same one. Change the limit or the port."))
			}
		}
		return problems
	},
}

func samePort(a, b tree.Node) bool {
	p, okA := a.Get("port").Int()
	q, okB := b.Get("port").Int()
	return okA && okB && p == q
}

// servedHost returns the host name of a listener, empty when it is unknown.
func servedHost(listener tree.Node) string {
	n := listener.Get("hostname")
	if n.Empty() {
		return anyHost
	}
	s, _ := n.Text()
	return s
}

// differ reports whether two values of an older kind are known to be set and
// different.
func differ(a, b tree.Node) bool {
	if s, ok := a.Text(); ok {
		t, ok := b.Text()
		return ok && s != t
	}
	i, _ := a.Int()
	j, _ := b.Int()
	return i != 0 && j != 0 && i != j
}
