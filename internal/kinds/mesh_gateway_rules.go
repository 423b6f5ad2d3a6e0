package kinds

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// anyHost is the host name of a listener that serves all.
const anyHost = "*"

// namesService checks the tags of a selector.
var namesService = def.Check{Test: func(n tree.Node) []def.Problem {
	if hasService(n) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "The tag kuma.io/service is missing", "A selector needs \"kuma.io/service\", the name of the gateway, or \"*\" for all. Add it.")}
}}

// tagsOfGateway refuses the tags that Kuma gives a meaning of their own.
var tagsOfGateway = def.Check{
	Doc: "Not `kuma.io/service`, `kuma.io/protocol`, `kuma.io/zone` or `kuma.io/external-service-name`.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		for _, name := range []string{kuma.TagService, tagProtocol, kuma.LabelZone, "kuma.io/external-service-name"} {
			if tag := n.Get(name); tag.Known() {
				problems = append(problems, def.ErrorAt(tag, "Reserved tag", "Kuma sets this tag by itself, so a listener cannot have it. Remove it, or choose another name."))
			}
		}
		return problems
	},
}

var listenerHost = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || s == "" || s == anyHost || kuma.IsDNSSubdomain(strings.TrimPrefix(s, "*.")) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid host name", "Use lower case letters, digits, \"-\" and \".\"; a wildcard can only be the whole first part, as in \"*.shop.example\".")}
}}

// listenerSecurity checks that protocol, TLS and crossMesh of a listener go
// together.
var listenerSecurity = def.Check{Test: func(n tree.Node) []def.Problem {
	tls, protocol := n.Get("tls"), n.Get("protocol")
	name, known := protocol.Text()
	var problems []def.Problem
	switch {
	case n.Get("crossMesh").True():
		if known && name != listenerHTTP && name != unsetEnum {
			problems = append(problems, def.ErrorAt(protocol, "crossMesh needs HTTP", "A listener for other meshes takes protocol HTTP only: mutual TLS comes from the meshes. Change the protocol, or remove crossMesh."))
		}
		if tls.Known() {
			problems = append(problems, def.ErrorAt(tls, "crossMesh excludes tls", "A listener for other meshes uses the certificates of the meshes. Remove \"tls\", or crossMesh."))
		}
	case name == listenerHTTPS && tls.Absent():
		problems = append(problems, def.ErrorAt(tls, "HTTPS needs tls", "A listener of protocol HTTPS needs \"tls\" with mode TERMINATE and a certificate. Add it, or use HTTP."))
	case name == listenerHTTPS:
		if mode, _ := tls.Get("mode").Text(); mode == tlsPassthrough {
			problems = append(problems, def.ErrorAt(tls.Get("mode"), "PASSTHROUGH does not go with HTTPS", "A listener of protocol HTTPS reads the traffic, which stays encrypted with PASSTHROUGH. Use TERMINATE, or protocol TLS."))
		}
	}
	return problems
}}

var terminationNeedsCertificates = def.Check{
	Doc: "`TERMINATE` needs one or two `certificates`.",
	Test: func(n tree.Node) []def.Problem {
		mode, _ := n.Get("mode").Text()
		certificates := n.Get("certificates")
		switch count := len(certificates.Items()); {
		case mode != tlsTerminate || certificates.Unknown():
			return nil
		case count == 0:
			return []def.Problem{def.ErrorAt(certificates, "certificates is missing", "The gateway cannot decrypt traffic without a certificate. Add one, or use PASSTHROUGH.")}
		case count > 2:
			return []def.Problem{def.ErrorAt(certificates, "Too many certificates", "A listener shows at most two certificates. Remove the others, or open a listener per host name.")}
		}
		return nil
	},
}

// listenersShare checks listeners with the same port, of which the gateway makes
// one.
var listenersShare = def.Check{
	Doc: "Those of one port have the same protocol, the same `connectionLimit` and different host names.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		for i, l := range n.Items() {
			beside := slices.DeleteFunc(n.Items(), func(o tree.Node) bool { return !samePort(l, o) || o.Path[len(o.Path)-1] == i })
			if slices.ContainsFunc(beside, func(o tree.Node) bool { return differ(l.Get("protocol"), o.Get("protocol")) }) {
				problems = append(problems, def.ErrorAt(l, "Another protocol on this port", "All listeners of one port have the same protocol. Change the protocol or the port."))
			}
			if slices.ContainsFunc(beside, func(o tree.Node) bool { return servedHost(l) != "" && servedHost(l) == servedHost(o) }) {
				problems = append(problems, def.ErrorAt(l, "The host name is taken on this port", "Another listener serves the same host name on this port; no host name means \"*\". Change the host name or the port."))
			}
			limit := l.Get("resources", "connectionLimit")
			if slices.ContainsFunc(beside, func(o tree.Node) bool { return differ(limit, o.Get("resources", "connectionLimit")) }) {
				problems = append(problems, def.ErrorAt(limit, "Another limit on this port", "All listeners of one port that have a connection limit have the same. Change the limit or the port."))
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

// differ reports whether two values of an older kind are surely both set, and
// not the same.
func differ(a, b tree.Node) bool {
	if s, ok := a.Text(); ok {
		t, ok := b.Text()
		return ok && s != t
	}
	i, _ := a.Int()
	j, _ := b.Int()
	return i != 0 && j != 0 && i != j
}

// oneSelectorAcrossMeshes: other meshes know a gateway by one name.
var oneSelectorAcrossMeshes = def.Check{Test: func(n tree.Node) []def.Problem {
	selectors := n.Get("selectors").Items()
	crossMesh := slices.ContainsFunc(n.Get("conf", "listeners").Items(), func(l tree.Node) bool { return l.Get("crossMesh").True() })
	if !crossMesh || len(selectors) < 2 {
		return nil
	}
	return []def.Problem{def.ErrorAt(selectors[1], "crossMesh takes one selector", "Other meshes reach a gateway with a crossMesh listener by one name. Keep one selector, or make two gateways.")}
}}
