package kinds

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// Unready returns what Kuma 3.0 will treat otherwise in one resource
// (spec/kuma3.md), in the order of the document. The kind may be one of
// [Undescribed]; nothing is known about others.
func Unready(r mesh.Resource) []spec.Unready {
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
func Conditions() []spec.Condition {
	var all []spec.Condition
	for _, k := range append(All(), Undescribed()...) {
		all = append(all, k.Conditions()...)
	}
	slices.SortStableFunc(all, spec.Condition.Compare)
	return slices.CompactFunc(all, func(a, b spec.Condition) bool { return a.ID == b.ID })
}

// Undescribed returns kinds of which nothing is known here but what becomes of
// them in Kuma 3.0. All are older ones inside a mesh.
func Undescribed() []spec.Kind {
	return []spec.Kind{
		replaced("CircuitBreaker", "circuit-breakers", "MeshCircuitBreaker"),
		replaced("ExternalService", "external-services", "MeshExternalService"),
		replaced("FaultInjection", "fault-injections", "MeshFaultInjection"),
		replaced("HealthCheck", "health-checks", "MeshHealthCheck"),
		{Name: "MeshGatewayRoute", Path: "meshgatewayroutes", Flat: true, Readiness: []spec.Condition{builtinGatewayGone}},
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
func replaced(name, path, by string) spec.Kind {
	return spec.Kind{Name: name, Path: path, Flat: true, Readiness: []spec.Condition{{
		ID: "K3-102", Effect: spec.Breaks,
		Doc:     "This kind is gone in Kuma 3.0: writing it is answered with 404, and what is stored has no effect.",
		Do:      "Write the newer kind, then delete this resource.",
		Instead: func(spec.Node) string { return "Its successor is " + by + "." },
	}}}
}

var builtinGatewayGone = spec.Condition{
	ID: "K3-100", Effect: spec.Breaks,
	Doc: "Kuma 3.0 has no builtin gateway: writing this kind is answered with 404, and what is stored stays there unread.",
	Do:  "Put a gateway of another product behind a Dataplane with a delegated gateway, and delete this resource before the upgrade.",
}

var zoneProxyGone = spec.Condition{
	ID: "K3-101", Effect: spec.Breaks,
	Doc: "Kuma 3.0 serves this kind no longer, and its proxies cannot connect.",
	Do:  "Write a Dataplane with a listener of type ZoneIngress or ZoneEgress in networking.listeners, and start its proxy with a dataplane token. Kuma 2.14 knows both.",
}

// nameIsDNSLabel: the display name becomes a part of host names.
var nameIsDNSLabel = spec.Condition{
	ID: "K3-068", Effect: spec.Breaks,
	When: func(doc spec.Node) bool {
		name, ok := displayName(doc).Text()
		return ok && !spec.IsDNSLabel(name)
	},
	Doc: "The display name is no DNS label. Kuma 3.0 refuses to write the resource and no longer sends it to zones, and a zone of such a name cannot register.",
	Do:  "Create the resource anew under a name of at most 63 lower case letters, digits and \"-\" that begins with a letter. A Mesh cannot be renamed: everything in it moves.",
}

// proxyTypeIsGone is the condition of a map of labels of Dataplanes.
func proxyTypeIsGone(at string) spec.Condition {
	return spec.Condition{
		ID: "K3-009", Effect: spec.Changes, Unannounced: true,
		At:  at + `["` + mesh.LabelProxyType + `"]`,
		Doc: "The selection is by the label kuma.io/proxy-type, which Kuma 3.0 takes away from a Dataplane as soon as it is written again. Then nothing is selected.",
		Do:  "Put a label of your own on the Dataplanes, and select by that.",
	}
}

// isTrue reports whether a setting is on.
func isTrue(n spec.Node) bool { return n.True() }

// isFalse reports whether a setting is off by choice.
func isFalse(n spec.Node) bool { return n.Value() == false }

// isNoneOf returns a condition on a text that is set: that it is none of values,
// whatever the case of its letters.
func isNoneOf(values ...string) func(spec.Node) bool {
	return func(n spec.Node) bool {
		s, ok := n.Text()
		return ok && s != "" && !slices.Contains(values, strings.ToLower(s))
	}
}
