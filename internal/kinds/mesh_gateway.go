package kinds

import (
	"math"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshGateway says on which ports builtin gateways listen.
var MeshGateway = def.Kind{
	Name: "MeshGateway", Path: "meshgateways", ShortName: "mgw",
	Flat: true, ZoneOwned: true, GlobalOwned: true,
	Doc: "The listeners of builtin gateways, through which traffic from outside enters the mesh. " +
		"The gateways are Dataplanes whose gateway is of type `BUILTIN`; routes that select the MeshGateway say where the traffic goes.",
	Fields: def.Object{
		{
			Name: "selectors", Required: true, Doc: "The gateways that open the listeners, by their tags; any of the selectors selects. Only one is allowed with `cross_mesh`.",
			Type: def.List{Elem: def.Object{
				{
					Name: "match", Type: def.StringMap{}, Required: true, Checks: def.Checks(namesService, def.TagPatterns()),
					Doc: "Tags that a gateway must all carry, `kuma.io/service` among them; `*` stands for any value.",
				},
			}},
		},
		{
			Name: "tags", Type: def.StringMap{}, Checks: def.Checks(tagsOfGateway, def.TagPatterns()),
			Doc: "Tags that all listeners carry, next to their own.",
		},
		{Name: "conf", Required: true, Doc: "Settings of the gateways.", Type: def.Object{
			{
				Name: "listeners", Type: def.List{Elem: gatewayListener}, Required: true, Checks: def.Checks(check.GatewayListeners, def.Each(listenerSecurity)),
				Doc: "The listeners, each a port and a host name. At least one is needed.",
			},
		}},
	},
	Checks: def.Checks(oneSelectorAcrossMeshes),
}

// namesService checks the tags of a selector.
var namesService = def.Check{Test: func(n tree.Node) []def.Problem {
	if check.HasServiceTag(n) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "The tag kuma.io/service is missing", "A selector needs \"kuma.io/service\", the name of the gateway, or \"*\" for all. Add it.")}
}}

// oneSelectorAcrossMeshes: other meshes know a gateway by one name.
var oneSelectorAcrossMeshes = def.Check{Test: func(n tree.Node) []def.Problem {
	selectors := n.Get("selectors").Items()
	crossMesh := slices.ContainsFunc(n.Get("conf", "listeners").Items(), func(l tree.Node) bool { return l.Get("crossMesh").True() })
	if !crossMesh || len(selectors) < 2 {
		return nil
	}
	var problems []def.Problem
	for _, s := range selectors[1:] {
		problems = append(problems, def.ErrorAt(s, "crossMesh takes one selector", "Other meshes reach a gateway with a crossMesh listener by one name. Keep one selector, or make two gateways."))
	}
	return problems
}}

// Values of the protocol of a listener, and of the mode of its TLS.
const (
	enumNone       = "NONE"
	listenerHTTP   = "HTTP"
	listenerHTTPS  = "HTTPS"
	tlsTerminate   = "TERMINATE"
	tlsPassthrough = "PASSTHROUGH"
)

var gatewayListener = def.Object{
	{
		Name: "hostname", Type: def.String, Checks: def.Checks(listenerHost),
		Doc: "Host name that the listener serves: a name, a wildcard such as `*.shop.example`, or `*` for all, which is what it serves when unset.",
	},
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(check.Unsigned(1, check.MaxPort)),
		Doc: "Port on which the gateway accepts traffic.",
	},
	{
		Name: "protocol", Type: def.String, Required: true, OneOf: []string{enumNone, "TCP", "TLS", listenerHTTP, listenerHTTPS}, Default: enumNone,
		Doc: "Protocol of the traffic. `NONE` counts as unset.",
	},
	{Name: "tls", Doc: "TLS of the listener, which `HTTPS` needs.", Checks: def.Checks(terminationNeedsCertificates), Type: def.Object{
		{
			Name: "mode", Type: def.String, Required: true, OneOf: []string{enumNone, tlsTerminate, tlsPassthrough}, Default: enumNone,
			Doc: "`TERMINATE` decrypts the traffic at the gateway, `PASSTHROUGH` passes it on encrypted and does not go with `HTTPS`. `NONE` counts as unset.",
		},
		{
			Name: "certificates", Type: def.List{Elem: object.DataSourceOrFile(true)}, Design: def.Checks(def.Each(object.OneSource)),
			Doc: "Certificates that the gateway shows, each together with its private key, in PEM format. Each comes from one of these places.",
		},
		{Name: "options", Type: def.Object{}, Doc: "Reserved for later settings. It has none."},
	}},
	{
		Name: "tags", Type: def.StringMap{}, Checks: def.Checks(tagsOfGateway, def.TagPatterns()),
		Doc: "Tags of the listener, by which a reference to the MeshGateway selects it.",
	},
	{
		Name: "crossMesh", Type: def.Bool,
		Doc: "Whether the listener serves traffic from other meshes of the control plane, over mutual TLS. It goes with protocol `HTTP` and without `tls`. It does not when unset.",
	},
	{Name: "resources", Doc: "Limits of the listener.", Type: def.Object{
		{
			Name: "connectionLimit", SnakeCase: true, Type: def.Int, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
			Doc: "Greatest number of open connections. Unlimited when unset.",
		},
	}},
}

// tagsOfGateway refuses the tags that Kuma gives a meaning of their own.
var tagsOfGateway = def.Check{
	Doc: "Not `kuma.io/service`, `kuma.io/protocol`, `kuma.io/zone` or `kuma.io/external-service-name`.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		for _, name := range []string{kuma.TagService, kuma.TagProtocol, kuma.LabelZone, "kuma.io/external-service-name"} {
			if tag := n.Get(name); tag.Known() {
				problems = append(problems, def.ErrorAt(tag, "Reserved tag", "Kuma sets this tag by itself, so a listener cannot have it. Remove it, or choose another name."))
			}
		}
		return problems
	},
}

var listenerHost = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || s == "" || s == "*" || kuma.IsDNSSubdomain(strings.TrimPrefix(s, "*.")) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid host name", "Use lower case letters, digits, \"-\" and \".\"; a wildcard can only be the whole first part, as in \"*.shop.example\".")}
}}

// listenerSecurity checks that protocol, TLS and crossMesh of a listener go
// together.
var listenerSecurity = def.Check{Test: func(n tree.Node) []def.Problem {
	tls, protocol := n.Get("tls"), n.Get("protocol")
	name, _ := protocol.Text()
	var problems []def.Problem
	switch {
	case n.Get("crossMesh").True():
		if name == listenerHTTPS {
			problems = append(problems, def.ErrorAt(protocol, "crossMesh excludes HTTPS", "The traffic of a listener for other meshes has mutual TLS of the meshes. Change the protocol to HTTP, or remove crossMesh."))
		}
		if tls.Filled() {
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
