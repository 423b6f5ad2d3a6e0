package kuma3

import (
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// dataplanes contains the conditions on a Dataplane.
var dataplanes = []Condition{
	{
		ID: "K3-090", Effect: Breaks, Paths: at("networking.gateway.type", kuma.KindDataplane), When: is("BUILTIN"),
		Doc: "The proxy is a builtin gateway. Kuma 3.0 cannot read such a Dataplane, and with one of them in the mesh it cannot list any.",
		Do:  "Delete it before the upgrade, or change it to DELEGATED with another gateway product behind it.",
	},
	{
		ID: "K3-091", Effect: Changes, Preparation: Partly, Paths: at("networking.inbound[].tags", kuma.KindDataplane),
		Doc: "The inbound has tags, which Kuma 3.0 drops. They can no longer be used for selection.",
		Do:  "Replace the tags with labels of the Dataplane, and select by labels. The syntax of labels is stricter than that of tags. Kuma 2.14 accepts an inbound without tags in a mesh with meshServices.mode Exclusive.",
	},
	{
		ID: "K3-092", Effect: Changes, Paths: at("networking.inbound[]", kuma.KindDataplane),
		When: func(in tree.Node) bool { return in.Get("protocol").Empty() && protocolOf(in, "http", "http2", "grpc") },
		Doc:  "Only a tag sets the protocol. Kuma 3.0 treats the inbound as plain TCP: HTTP logs, timeouts, faults, limits and routes no longer apply.",
		Do:   "Set the protocol of the inbound in its field protocol.",
	},
	{
		ID: "K3-093", Effect: Breaks, Unannounced: true, Paths: at("networking.inbound[]", kuma.KindDataplane),
		When: func(in tree.Node) bool {
			protocol := in.Get("protocol")
			if protocol.Empty() {
				return protocolOf(in, "kafka")
			}
			return isNoneOf("tcp", "tls", "http", "http2", "grpc", "mysql")(protocol)
		},
		Doc: "Kuma 3.0 does not support the protocol. It rejects the value in the field protocol, drops it in a tag, and treats a stored inbound as plain TCP.",
		Do:  "Set protocol to tcp.",
	},
	{
		ID: "K3-094", Effect: Breaks, Paths: at("networking.outbound[]", kuma.KindDataplane),
		When: func(out tree.Node) bool { return out.Known() && out.Get("backendRef").Absent() },
		Doc:  "The outbound selects its destination by tags. Kuma 3.0 rejects that, and opens no listener for a stored one.",
		Do:   "Use backendRef with kind MeshService, the name or labels of the service, and its port. Names are still allowed here.",
	},
	{
		ID: "K3-095", Effect: Changes, Preparation: Partly, Paths: at("networking.advertisedAddress", kuma.KindDataplane),
		Doc: "Kuma 3.0 drops the advertised address, and other proxies connect to networking.address.",
		Do:  "Make networking.address reachable for other proxies.",
	},
	{
		ID: "K3-096", Effect: Changes, Paths: at("networking.transparentProxying.reachableServices", kuma.KindDataplane),
		Doc: "Kuma 3.0 drops the list of reachable services, and the proxy gets the configuration of all.",
		Do:  "List the services in reachableBackends.refs.",
	},
	{
		ID: "K3-097", Effect: Changes, Preparation: Nothing, Paths: at("probes", kuma.KindDataplane),
		Doc: "Kuma 3.0 drops the probes and opens no listeners for them.",
		Do:  "Outside Kubernetes there is no replacement: check the health of the application on a separate port.",
	},
	{
		ID: "K3-098", Effect: Changes, Unannounced: true, Paths: at("metrics", kuma.KindDataplane),
		Doc: "Kuma 3.0 drops the metrics of single Dataplanes.",
		Do:  "Create a MeshMetric that selects this Dataplane by labels.",
	},
}

// protocolOf reports whether the tag of an inbound names one of the protocols.
func protocolOf(inbound tree.Node, protocols ...string) bool {
	tag, _ := inbound.Get("tags", kuma.TagProtocol).Text()
	for _, p := range protocols {
		if strings.EqualFold(tag, p) {
			return true
		}
	}
	return false
}
