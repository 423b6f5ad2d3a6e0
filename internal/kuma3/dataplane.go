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
		ID: "K3-090", Effect: Breaks, Paths: at("networking.gateway.type", kuma.KindDataplane), When: is("BUILTIN"),
		Doc: "The proxy is a builtin gateway. Kuma 3.0 cannot read such a Dataplane, and with one of them in the mesh it cannot list any.",
		Do:  "Do this before the upgrade, or delete it.",
	},
	{
		ID: "K3-091", Effect: Changes, Preparation: Partly, Paths: at("networking.inbound[].tags", kuma.KindDataplane),
		Doc: "The inbound has tags, which Kuma 3.0 drops. They can no longer be used for selection.",
		Do:  "The syntax of labels is stricter than that of tags. Kuma 2.14 accepts an inbound without tags in a mesh with meshServices.mode Exclusive.",
	},
	{
		ID: "K3-092", Effect: Changes, Paths: at("networking.inbound[].tags"+protocolTag, kuma.KindDataplane), When: setByTag("http", "http2", "grpc"),
		Doc: "Only a tag sets the protocol. Kuma 3.0 treats the inbound as plain TCP: HTTP logs, timeouts, faults, limits and routes no longer apply.",
		Do:  "Set the protocol of the inbound in its field protocol.",
	},
	{
		ID: "K3-093", Effect: Breaks, Unannounced: true, Paths: append(at("networking.inbound[].protocol", kuma.KindDataplane), at("networking.inbound[].tags"+protocolTag, kuma.KindDataplane)...),
		When: func(n tree.Node) bool { return n.Key() == "protocol" || setByTag("kafka")(n) },
		Doc:  "Kuma 3.0 does not support the protocol. It rejects the value in the field protocol, drops it in a tag, and treats a stored inbound as plain TCP.",
		Do:   "Set the protocol to tcp.",
	},
	{
		ID: "K3-094", Effect: Breaks, Paths: at("networking.outbound[].tags", kuma.KindDataplane),
		Doc: "The outbound selects its destination by tags. Kuma 3.0 rejects that, and opens no listener for a stored one.",
		Do:  "Use backendRef with kind MeshService, the name or labels of the service, and its port. Names are still allowed here.",
	},
	{
		ID: "K3-095", Effect: Changes, Preparation: Partly, Paths: at("networking.advertisedAddress", kuma.KindDataplane),
		Doc: "Kuma 3.0 drops the advertised address, and other proxies connect to networking.address.",
	},
	{
		ID: "K3-096", Effect: Changes, Paths: at("networking.transparentProxying.reachableServices", kuma.KindDataplane),
		Doc: "Kuma 3.0 drops the list of reachable services, and the proxy gets the configuration of all.",
	},
	{
		ID: "K3-215", Effect: Breaks, Paths: append(at("networking.transparentProxying.reachableBackends.refs[].name", kuma.KindDataplane), at("networking.transparentProxying.reachableBackends.refs[].namespace", kuma.KindDataplane)...),
		Doc: "A service that the proxy reaches is referenced by name. Kuma 3.0 drops the name, and the reference selects nothing.",
		Do:  "Add kuma.io/zone if the name exists in several zones.",
	},
	{
		ID: "K3-097", Effect: Changes, Preparation: Nothing, Paths: at("probes", kuma.KindDataplane),
		Doc: "Kuma 3.0 drops the probes and opens no listeners for them.",
		Do:  "Or check the health of the application on a separate port.",
	},
	{
		ID: "K3-098", Effect: Changes, Unannounced: true, Paths: at("metrics", kuma.KindDataplane),
		Doc: "Kuma 3.0 drops the metrics of single Dataplanes.",
		Do:  "Select this Dataplane by labels.",
	},
}

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
