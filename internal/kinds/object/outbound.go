package object

import (
	"fmt"
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Outbounds are the services that an application consumes.
var Outbounds = def.List{Elem: outbound}.Field("outbound",
	"The services that the application consumes if traffic is not redirected transparently. Not allowed for a builtin gateway.",
	def.Each(outboundTarget))

// TransparentProxying describes how traffic is redirected to a proxy.
var TransparentProxying = def.Field{
	Name: "transparentProxying", SnakeCase: true, Type: transparentProxyingSettings, Design: def.Checks(redirectsOutgoing),
	Doc: "Transparent redirection of traffic to the proxy. Disabled by default.",
}

// redirectsOutgoing checks that a redirection includes outgoing traffic: without its port, 2.14.3 and the preview of 3.0 create
// no listener for redirected traffic of either direction.
var redirectsOutgoing = def.Check{Test: func(n tree.Node) []def.Problem {
	in, _ := n.Get("redirectPortInbound").Int()
	out, _ := n.Get("redirectPortOutbound").Int()
	return def.WarningIf(in != 0 && out == 0 && !n.Get("redirectPortOutbound").Unknown(), n, "Missing redirectPortOutbound",
		"Without it, the proxy does not listen on port %d either, so redirected connections fail. Set it, usually to 15001.", in)
}}

var outbound = def.Object{
	def.String.Field("address", "IP address under which the application reaches the service. Defaults to `127.0.0.1`.", check.IPAddress),
	def.Int.Required("port", "Port under which the application reaches the service.", check.Unsigned(1, check.MaxPort)),
	{
		Name: "tags", Type: def.StringMap{}, Removed: def.RemovedIn3("Use backendRef."), Checks: def.Checks(def.TagValues()),
		Doc: "Tags of the service, including `kuma.io/service`. Conflicts with `backend_ref`.",
	},
	{Name: "backendRef", RequiredIn: kuma.Since("3.0"), Doc: "Reference to the service. Conflicts with `tags`.", Type: def.Object{
		serviceKind,
		def.String.Field("name", "Name of the object. Either `name` or `labels` is required."),
		def.Int.Field("port", "Port of the object. Required for all kinds except MeshExternalService.", check.Unsigned(0, math.MaxUint32)),
		def.StringMap{}.Field("labels", "Labels that the object must have. If several objects match, the oldest one is used."),
	}},
}

// serviceKind is the kind of a service that a proxy consumes.
var serviceKind = def.String.Required("kind",
	"Kind of the object.", def.OneOf(kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService))

var transparentProxyingSettings = def.Object{
	{
		Name: "redirectPortInbound", SnakeCase: true, Type: def.Int, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
		Doc: "Port of the proxy that incoming traffic is redirected to.",
	},
	{
		Name: "redirectPortOutbound", SnakeCase: true, Type: def.Int, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
		Doc: "Port of the proxy that outgoing traffic is redirected to.",
	},
	{
		Name: "directAccessServices", SnakeCase: true, Type: def.List{Elem: def.String},
		Doc: "Values of `kuma.io/service` whose instances the application calls by their own addresses, or `*` for all. None by default.",
	},
	{
		Name: "reachableServices", SnakeCase: true, Type: def.List{Elem: def.String}, Removed: def.RemovedIn3("Use reachableBackends."),
		Doc: "Values of `kuma.io/service` that the application consumes. The proxy gets the configuration of these services only. " +
			"All services by default.",
	},
	{
		Name: "ipFamilyMode", SnakeCase: true, Type: def.String, OneOf: []string{"UnSpecified", "DualStack", "IPv4", "IPv6"},
		Default: "UnSpecified", Removed: def.RemovedIn3("Set it with kuma-dp run --transparent-proxy-config."),
		Doc: "IP versions whose traffic is redirected. `UnSpecified` means both.",
	},
	{
		Name: "reachableBackends", SnakeCase: true,
		Doc: "References to the services that the application consumes. The proxy gets the configuration of these services only. " +
			"All services by default.", Type: def.Object{
			{
				Name: "refs", Doc: "References to the services. An empty `reachable_backends` means none.",
				Checks: def.Checks(def.Each(reachableBackend)),
				Type: def.List{Elem: def.Object{
					serviceKind,
					{
						Name: "name", Type: def.String, Removed: def.RemovedIn3("Use labels, such as kuma.io/display-name with the name."),
						Checks: def.Checks(objectName), Doc: "Name of the object. Either `name` or `labels` is required.",
					},
					{
						Name: "namespace", Type: def.String, EmptyIsAbsent: true, Removed: def.RemovedIn3("Use the label k8s.kuma.io/namespace."),
						Design: def.Checks(def.KubernetesOnly()), Doc: "Kubernetes namespace of the object, used together with `name`.",
					},
					{
						Name: "port", Type: def.Int, Distinct: true, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
						Doc: "Port of the object. All ports by default.",
					},
					def.StringMap{}.Field("labels", "Labels that the objects must have. Conflicts with `name` and `namespace`."),
				}},
			},
		},
	},
}

var objectName = def.Text(kuma.IsDNSSubdomain, "Invalid name",
	"%q is not a valid name. It must consist of lowercase letters, digits, \"-\" and \".\".").OrEmpty()

var outboundTarget = def.Check{
	Doc: "Either `backendRef`, or `tags` with `kuma.io/service`, is required.",
	Test: func(n tree.Node) []def.Problem {
		tags, ref := n.Get("tags"), n.Get("backendRef")
		switch {
		case ref.Absent() && !tags.Unknown() && !check.HasServiceTag(tags):
			return []def.Problem{def.ErrorAt(tags, "Outbound has no destination",
				"An outbound must set \"backendRef\" or, before Kuma 3.0, the tag \"kuma.io/service\".")}
		case !ref.Known():
			return nil
		case tags.Filled():
			return []def.Problem{def.ErrorAt(ref, "backendRef conflicts with tags",
				"An outbound must set either \"backendRef\" or \"tags\". Remove one of them.")}
		}
		var problems []def.Problem
		if ref.Get("name").Empty() && ref.Get("labels").Empty() {
			problems = append(problems, def.ErrorAt(ref, "Missing name or labels", "The reference must set \"name\" or \"labels\"."))
		}
		kind, port := ref.Get("kind"), ref.Get("port")
		if name, _ := kind.Text(); name != kuma.KindMeshExternalService && !kind.Unknown() && !port.Unknown() {
			if p, _ := port.Int(); p < 1 || p > check.MaxPort {
				problems = append(problems, def.ErrorAt(port, "Missing or invalid port",
					fmt.Sprintf("A reference must set a port from 1 to %d, unless its kind is %s.", check.MaxPort, kuma.KindMeshExternalService)))
			}
		}
		return problems
	},
}

var reachableBackend = def.Check{
	Doc: "Either `name`, with an optional `namespace`, or `labels` is required.",
	Test: func(n tree.Node) []def.Problem {
		name, namespace, labels := n.Get("name"), n.Get("namespace"), n.Get("labels")
		switch {
		case name.Empty() && namespace.Filled():
			return []def.Problem{def.ErrorAt(name, "Missing name", "A reference with \"namespace\" must also set \"name\".")}
		case name.Filled() && labels.Filled():
			return []def.Problem{def.ErrorAt(labels, "labels conflicts with name and namespace",
				"A reference must use either name (with an optional namespace) or labels. Remove one of them.")}
		}
		return nil
	},
	ByRelease: func(n tree.Node, r kuma.Release) []def.Problem {
		name, labels, port := n.Get("name"), n.Get("labels"), n.Get("port")
		switch {
		case !name.Empty() || !labels.Empty() || n.Get("namespace").Filled():
			return nil
		case !r.Kuma3():
			return []def.Problem{def.ErrorAt(name, "Missing name or labels", "The reference must set \"name\" or \"labels\".")}
		case port.Filled():
			return []def.Problem{def.ErrorAt(port, "port requires labels",
				"A reference without labels means all ports of every service of its kind. Set labels, or remove the port.").About(def.Stated)}
		}
		return nil
	},
}
