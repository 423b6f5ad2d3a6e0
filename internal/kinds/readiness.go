package kinds

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Unready returns what Kuma 3.0 will treat otherwise in one resource
// (kuma3.md), in the order of the document. The kind may be one of
// [Undescribed]; nothing is known about others.
func Unready(r kuma.Resource) []def.Unready {
	if k, ok := Find(r.Type); ok {
		return k.Unready(r)
	}
	for _, k := range Undescribed() {
		if k.Name == r.Type {
			return k.Unready(r)
		}
	}
	return nil
}

// Conditions returns the conditions of Kuma 3.0 on single documents, each once,
// those to look at first in front.
func Conditions() []def.Condition {
	var all []def.Condition
	for _, k := range append(All(), Undescribed()...) {
		all = append(all, k.Conditions()...)
	}
	slices.SortStableFunc(all, def.Condition.Compare)
	return slices.CompactFunc(all, func(a, b def.Condition) bool { return a.ID == b.ID })
}

// Undescribed returns kinds of which nothing is known here but what becomes of
// them in Kuma 3.0. All are older ones inside a mesh.
func Undescribed() []def.Kind {
	return []def.Kind{
		replaced("CircuitBreaker", "circuit-breakers", "MeshCircuitBreaker"),
		replaced("ExternalService", "external-services", "MeshExternalService"),
		replaced("FaultInjection", "fault-injections", "MeshFaultInjection"),
		replaced("HealthCheck", "health-checks", "MeshHealthCheck"),
		{Name: "MeshGatewayRoute", Path: "meshgatewayroutes", Flat: true, Readiness: []def.Condition{builtinGatewayGone}},
		replaced("ProxyTemplate", "proxytemplates", "MeshProxyPatch"),
		replaced("RateLimit", "rate-limits", "MeshRateLimit"),
		replaced("Retry", "retries", "MeshRetry"),
		replaced("Timeout", "timeouts", "MeshTimeout"),
		replaced("TrafficLog", "traffic-logs", "MeshAccessLog"),
		replaced("TrafficPermission", "traffic-permissions", "MeshTrafficPermission"),
		replaced("TrafficRoute", "traffic-routes", "MeshHTTPRoute or MeshTCPRoute"),
		replaced("TrafficTrace", "traffic-traces", "MeshTrace"),
		replaced("VirtualOutbound", "virtual-outbounds", "HostnameGenerator, for host names, or a route"),
	}
}

// replaced describes a kind that has a successor.
func replaced(name, path, by string) def.Kind {
	return def.Kind{Name: name, Path: path, Flat: true, Readiness: []def.Condition{{
		ID: "K3-102", Effect: def.Breaks,
		Doc:     "This kind is gone in Kuma 3.0: writing it is answered with 404, and what is stored has no effect.",
		Do:      "Write the newer kind, then delete this resource.",
		Instead: func(tree.Node) string { return "Its successor is " + by + "." },
	}}}
}

var builtinGatewayGone = def.Condition{
	ID: "K3-100", Effect: def.Breaks,
	Doc: "Kuma 3.0 has no builtin gateway: writing this kind is answered with 404, and what is stored stays there unread.",
	Do:  "Put a gateway of another product behind a Dataplane with a delegated gateway, and delete this resource before the upgrade.",
}

var zoneProxyGone = def.Condition{
	ID: "K3-101", Effect: def.Breaks,
	Doc: "Kuma 3.0 serves this kind no longer, and its proxies cannot connect.",
	Do:  "Write a Dataplane with a listener of type ZoneIngress or ZoneEgress in networking.listeners, and start its proxy with a dataplane token. Kuma 2.14 knows both.",
}

// nameIsDNSLabel: the display name becomes a part of host names.
var nameIsDNSLabel = def.Condition{
	ID: "K3-068", Effect: def.Breaks,
	When: func(doc tree.Node) bool {
		name, ok := displayName(doc).Text()
		return ok && !kuma.IsDNSLabel(name)
	},
	Doc: "The display name is no DNS label. Kuma 3.0 refuses to write the resource and no longer sends it to zones, and a zone of such a name cannot register.",
	Do:  "Create the resource anew under a name of at most 63 lower case letters, digits and \"-\" that begins with a letter. A Mesh cannot be renamed: everything in it moves.",
}

// proxyTypeIsGone is the condition of a map of labels of Dataplanes.
func proxyTypeIsGone(at string) def.Condition {
	return def.Condition{
		ID: "K3-009", Effect: def.Changes, Unannounced: true,
		At:  at + `["` + kuma.LabelProxyType + `"]`,
		Doc: "The selection is by the label kuma.io/proxy-type, which Kuma 3.0 takes away from a Dataplane as soon as it is written again. Then nothing is selected.",
		Do:  "Put a label of your own on the Dataplanes, and select by that.",
	}
}

// isTrue reports whether a setting is on.
func isTrue(n tree.Node) bool { return n.True() }

// isFalse reports whether a setting is off by choice.
func isFalse(n tree.Node) bool { return n.Value() == false }

// isNoneOf returns a condition on a text that is set: that it is none of values,
// whatever the case of its letters.
func isNoneOf(values ...string) func(tree.Node) bool {
	return func(n tree.Node) bool {
		s, ok := n.Text()
		return ok && s != "" && !slices.Contains(values, strings.ToLower(s))
	}
}
