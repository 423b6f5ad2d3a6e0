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

// MeshGateway configures the ports on which builtin gateways listen.
var MeshGateway = def.Kind{
	Name: "MeshGateway", Path: "meshgateways", ShortName: "mgw",
	Removed: def.RemovedIn3("Kuma 3.0 has no builtin gateways. Use a proxy of your own, which a normal Dataplane describes."),
	Flat:    true, ClusterScoped: true, ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Listeners of builtin gateways, through which traffic enters the mesh from outside. " +
		"The gateways are Dataplanes with a gateway of type `BUILTIN`. Routes that select the MeshGateway define where the traffic goes.",
	Use: "Use it for a gateway that Kuma itself configures. " +
		"For another gateway product, use a `kuma_dataplane` with a gateway of type `DELEGATED`.",
	Fields: def.Object{
		{
			Name: "selectors", Required: true,
			Doc: "Selectors of the gateways that open the listeners; one of them must match. Only one selector is allowed with `cross_mesh`.",
			Type: def.List{Elem: def.Object{
				def.StringMap{}.Required("match",
					"Tags that a gateway must have, including `kuma.io/service`; `*` matches any value.", namesService, def.TagPatterns()),
			}},
		},
		def.StringMap{}.Field("tags", "Tags of all listeners, in addition to their own.", tagsOfGateway, def.TagPatterns()),
		{Name: "conf", Required: true, Doc: "Settings of the gateways.", Type: def.Object{
			def.List{Elem: gatewayListener}.Required("listeners",
				"Listeners, each with a port and a host name. At least one is required.", check.GatewayListeners, def.Each(listenerSecurity)),
		}},
	},
	Checks: def.Checks(oneSelectorAcrossMeshes),
}

// namesService checks the tags of a selector.
var namesService = def.Check{Test: func(n tree.Node) []def.Problem {
	return def.ErrorIf(!check.HasServiceTag(n), n, "Missing tag kuma.io/service",
		"A selector must have the tag \"kuma.io/service\" with the name of the gateway, or \"*\" for all gateways.")
}}

// oneSelectorAcrossMeshes checks that a gateway with a crossMesh listener has
// one selector, because other meshes know it by one name.
var oneSelectorAcrossMeshes = def.Check{Test: func(n tree.Node) []def.Problem {
	selectors := n.Get("selectors").Items()
	crossMesh := slices.ContainsFunc(n.Get("conf", "listeners").Items(), func(l tree.Node) bool { return l.Get("crossMesh").True() })
	if !crossMesh || len(selectors) < 2 {
		return nil
	}
	var problems []def.Problem
	for _, s := range selectors[1:] {
		problems = append(problems, def.ErrorAt(s, "crossMesh requires a single selector",
			"Other meshes reach a gateway with a crossMesh listener under a single name. Use one selector, or create a separate MeshGateway."))
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
	def.String.Field("hostname",
		"Host name that the listener serves: a name, a wildcard such as `*.shop.example`, or `*` for all. Defaults to `*`.", listenerHost),
	def.Int.Required("port", "Port on which the gateway accepts traffic.", check.Unsigned(1, check.MaxPort)),
	{
		Name: "protocol", Type: def.String, Required: true, OneOf: []string{enumNone, "TCP", "TLS", listenerHTTP, listenerHTTPS},
		Default: enumNone,
		Doc:     "Protocol of the traffic. `NONE` counts as unset.",
	},
	{
		Name: "tls", Doc: "TLS settings of the listener. Required with `HTTPS`.", Checks: def.Checks(terminationNeedsCertificates),
		Type: def.Object{
			{
				Name: "mode", Type: def.String, Required: true, OneOf: []string{enumNone, tlsTerminate, tlsPassthrough}, Default: enumNone,
				Doc: "`TERMINATE` decrypts the traffic on the gateway. `PASSTHROUGH` forwards it encrypted and conflicts with `HTTPS`. " +
					"`NONE` counts as unset.",
			},
			{
				Name: "certificates", Type: def.List{Elem: object.DataSourceOrFile(true)}, Design: def.Checks(def.Each(object.OneSource)),
				Doc: "Certificates that the gateway presents, each with its private key, in PEM format. Each has exactly one source.",
			},
			{Name: "options", Type: def.Object{}, Doc: "Reserved for future settings."},
		},
	},
	def.StringMap{}.Field("tags",
		"Tags of the listener. A reference to the MeshGateway can select listeners by tags.", tagsOfGateway, def.TagPatterns()),
	def.Bool.Field("crossMesh",
		"Whether the listener serves traffic from other meshes of the control plane, over mutual TLS. "+
			"Requires protocol `HTTP` and conflicts with `tls`. Defaults to `false`."),
	{Name: "resources", Doc: "Limits of the listener.", Type: def.Object{
		{
			Name: "connectionLimit", SnakeCase: true, Type: def.Int, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
			Doc: "Maximum number of open connections. Unlimited by default.",
		},
	}},
}

// tagsOfGateway rejects the tags that Kuma itself sets.
var tagsOfGateway = def.Check{
	Doc: "Must not include `kuma.io/service`, `kuma.io/protocol`, `kuma.io/zone` or `kuma.io/external-service-name`.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		for _, name := range []string{kuma.TagService, kuma.TagProtocol, kuma.LabelZone, "kuma.io/external-service-name"} {
			if tag := n.Get(name); tag.Known() {
				problems = append(problems, def.ErrorAt(tag, "Reserved tag", "Kuma sets this tag. Remove it, or use a different name."))
			}
		}
		return problems
	},
}

var listenerHost = def.Text(func(s string) bool { return s == "" || s == "*" || kuma.IsDNSSubdomain(strings.TrimPrefix(s, "*.")) },
	"Invalid host name", "A host name must consist of lowercase letters, digits, \"-\" and \".\". "+
		"A wildcard must be the whole first part, as in \"*.shop.example\".")

// listenerSecurity checks that protocol, TLS and crossMesh of a listener go
// together.
var listenerSecurity = def.Check{Test: func(n tree.Node) []def.Problem {
	tls, protocol := n.Get("tls"), n.Get("protocol")
	name, _ := protocol.Text()
	var problems []def.Problem
	switch {
	case n.Get("crossMesh").True():
		if name == listenerHTTPS {
			problems = append(problems, def.ErrorAt(protocol, "crossMesh conflicts with HTTPS",
				"A listener for other meshes uses the mutual TLS of the meshes. Change the protocol to HTTP, or remove crossMesh."))
		}
		if tls.Filled() {
			problems = append(problems, def.ErrorAt(tls, "crossMesh conflicts with tls",
				"A listener for other meshes uses the certificates of the meshes. Remove \"tls\" or crossMesh."))
		}
	case name == listenerHTTPS && tls.Absent():
		problems = append(problems, def.ErrorAt(tls, "HTTPS requires tls",
			"A listener with protocol HTTPS must set \"tls\" with mode TERMINATE and a certificate. Add it, or use HTTP."))
	case name == listenerHTTPS:
		if mode, _ := tls.Get("mode").Text(); mode == tlsPassthrough {
			problems = append(problems, def.ErrorAt(tls.Get("mode"), "PASSTHROUGH conflicts with HTTPS",
				"With PASSTHROUGH the traffic stays encrypted, but a listener with protocol HTTPS must decrypt it. Use TERMINATE, or protocol TLS."))
		}
	}
	return problems
}}

var terminationNeedsCertificates = def.Check{
	Doc: "`TERMINATE` requires one or two `certificates`.",
	Test: func(n tree.Node) []def.Problem {
		mode, _ := n.Get("mode").Text()
		certificates := n.Get("certificates")
		switch count := len(certificates.Items()); {
		case mode != tlsTerminate || certificates.Unknown():
			return nil
		case count == 0:
			return []def.Problem{def.ErrorAt(certificates, "Missing certificates",
				"With TERMINATE, at least one certificate is required. Add a certificate, or use PASSTHROUGH.")}
		case count > 2:
			return []def.Problem{def.ErrorAt(certificates, "Too many certificates",
				"A listener can have at most two certificates. Remove the others, or use one listener per host name.")}
		}
		return nil
	},
}
