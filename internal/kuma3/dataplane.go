package kuma3

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// dataplanes contains the conditions on a Dataplane.
var dataplanes = []Condition{
	{
		ID: "K3-090", Effect: Outage, Paths: at("networking.gateway.type", kuma.KindDataplane), When: is("BUILTIN"),
		Doc:    "The proxy is a builtin gateway.",
		Stored: "The gateway is not read: what is left is a proxy without inbounds. " + withoutInbounds,
		Do:     "Do this before the upgrade, or delete the Dataplane.",
	},
	{
		ID: "K3-222", Effect: Outage, Paths: at("networking.gateway", kuma.KindDataplane),
		When: func(n tree.Node) bool { return !is("BUILTIN")(n.Get("type")) && n.Complete() },
		Doc:  "The proxy is a gateway.",
		Stored: "The gateway is not read: what is left is a proxy without inbounds, which rejects clients from outside the mesh. " +
			withoutInbounds,
		Do: "Exclude its ports from redirection, and select the gateway by a label of your own. " +
			"Kuma 2.14 rejects inbounds beside gateway, so that a change to both is one write per proxy.",
	},
	{
		ID: "K3-091", Effect: Cosmetic, Partly: true, Paths: at("networking.inbound[].tags", kuma.KindDataplane), MeasuredWrite: true,
		MeasuredStored: true,
		Doc:            "The inbound has tags.",
		Stored:         "They are not read.",
		Do: "The syntax of labels is stricter than that of tags. " +
			"Kuma 2.14 accepts an inbound without tags in a mesh with meshServices.mode Exclusive.",
	},
	{
		ID: "K3-092", Effect: Changes, Paths: at("networking.inbound[].tags"+protocolTag, kuma.KindDataplane),
		When: setByTag("http", "http2", "grpc"), MeasuredWrite: true,
		Doc:    "Only a tag sets the protocol of the inbound.",
		Stored: "The inbound is plain TCP: access logs, timeouts, faults, limits and routes for requests no longer apply.",
	},
	{
		ID: "K3-093", Effect: Changes, MeasuredWrite: true,
		Paths:  each(kuma.KindDataplane, "networking.inbound[].protocol", "networking.inbound[].tags"+protocolTag),
		When:   func(n tree.Node) bool { return n.Key() != kuma.TagProtocol || setByTag("kafka")(n) },
		Doc:    "Kuma 3.0 does not support the protocol of the inbound.",
		Stored: "A stored inbound is plain TCP.",
		Do:     "Set the protocol to tcp.",
	},
	{
		ID: "K3-094", Effect: Outage, Written: Rejected, Paths: at("networking.outbound[].tags", kuma.KindDataplane), MeasuredWrite: true,
		Doc:    "The outbound selects its destination by tags.",
		Stored: "For a stored outbound, the proxy opens no listener.",
		Do:     "Refer to the MeshService by the labels kuma.io/display-name and kuma.io/zone, and by its port.",
	},
	{
		ID: "K3-095", Effect: Outage, Paths: at("networking.advertisedAddress", kuma.KindDataplane), MeasuredWrite: true, MeasuredStored: true,
		Doc:    "Other proxies connect to an advertised address.",
		Stored: "It is not read: they connect to networking.address.",
	},
	{
		ID: "K3-096", Effect: Outage, Paths: at("networking.transparentProxying.reachableServices", kuma.KindDataplane), MeasuredWrite: true,
		MeasuredStored: true,
		Doc:            "The services that the application calls are listed by tag.",
		Stored:         "The list is not read, and the proxy has no outbounds: all calls in the mesh fail (K3-201).",
		Do: "Select each service by the labels kuma.io/display-name and kuma.io/zone. " +
			"Do this before the mode of the mesh becomes Exclusive: a proxy of Kuma 2.14 with this list alone then reaches no service.",
	},
	{
		ID: "K3-215", Effect: Outage, Paths: each(kuma.KindDataplane,
			"networking.transparentProxying.reachableBackends.refs[].name", "networking.transparentProxying.reachableBackends.refs[].namespace"),
		Doc:    "A service that the application calls is referenced by name.",
		Stored: "The name is not read, and the reference selects nothing: calls fail.",
		Do:     "Add kuma.io/zone if the name exists in several zones.",
	},
	{
		ID: "K3-234", Effect: Changes, Paths: at("networking.transparentProxying.ipFamilyMode", kuma.KindDataplane),
		When:   is("IPv4", "IPv6", "DualStack"),
		Doc:    "The Dataplane selects the IP versions of redirected traffic.",
		Stored: "The setting is not read.",
		Do:     "Without that option, Kuma 3.0 still reads the redirect ports of the Dataplane, and Kuma 3.1 does not.",
	},
	{
		ID: "K3-097", Effect: Changes, Paths: at("probes", kuma.KindDataplane), MeasuredWrite: true, MeasuredStored: true,
		Doc:    "The proxy opens listeners for health checks.",
		Stored: "It does not open them any more.",
		Do:     "Or check the health of the application on a port that is not redirected.",
	},
	{
		ID: "K3-098", Effect: Changes, Paths: at("metrics", kuma.KindDataplane), MeasuredWrite: true, MeasuredStored: true,
		Doc:    "The proxy has metrics settings of its own.",
		Stored: "They are not read.",
		Do:     "Select this Dataplane by labels.",
	},
	{
		ID: "K3-214", Effect: Changes, Undeclared: true, Paths: at("networking.outbound[].backendRef.name", kuma.KindDataplane),
		When: tree.Node.Filled, MeasuredWrite: true,
		Doc:    "The destination of an outbound is referenced by name.",
		Stored: "The name is compared in all zones, and the oldest service with it is used: the traffic can go to another zone.",
		Do:     "Use the labels kuma.io/display-name and kuma.io/zone, and the port.",
	},
	{
		ID: "K3-216", Effect: Changes, Undeclared: true, Paths: at("networking.transparentProxying.directAccessServices", kuma.KindDataplane),
		MeasuredWrite: true,
		When: func(n tree.Node) bool {
			return n.Complete() && len(n.Items()) > 0 && !slices.ContainsFunc(n.Items(), is("*"))
		},
		Doc:    "The services that the application calls by the addresses of single instances are listed by tag.",
		Stored: "The list is ignored, and direct access is lost.",
		Do:     "Use \"*\", or remove the list.",
	},
	{
		ID: "K3-223", Effect: Cosmetic, Undeclared: true, Paths: at("networking", kuma.KindDataplane), MeasuredWrite: true, MeasuredStored: true,
		When: func(n tree.Node) bool {
			return n.Known() && !n.Has("inbound") && !n.Has("listeners") && !n.Has("gateway")
		},
		Doc:    "The proxy has neither inbounds nor listeners.",
		Stored: withoutInbounds + " In 2.14, none does.",
		Do:     "List an inbound if the proxy accepts traffic of the mesh.",
	},
}

// withoutInbounds is what is known about policies for a proxy without inbounds (kuma3.md §7).
const withoutInbounds = "On a development build of 3.0, no policy applies to it; according to the documentation, policies " +
	"without sectionName do."

const protocolTag = `["` + kuma.TagProtocol + `"]`

// setByTag reports whether only this tag of an inbound sets its protocol, to one of those
// given.
func setByTag(protocols ...string) func(tag tree.Node) bool {
	return func(tag tree.Node) bool {
		inbound := tree.Root(tree.At(tag.Root().Value(), tag.Path.Parent().Parent()))
		name, _ := tag.Text()
		return inbound.Get("protocol").Empty() && slices.Contains(protocols, strings.ToLower(name))
	}
}
