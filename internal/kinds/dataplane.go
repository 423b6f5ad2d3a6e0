package kinds

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Values of the type of a gateway.
const (
	gatewayDelegated = "DELEGATED"
	gatewayBuiltin   = "BUILTIN"
)

// Dataplane is a proxy with the services that it provides and consumes.
var Dataplane = def.Kind{
	Name: "Dataplane", Path: "dataplanes", ShortName: "dp",
	Flat: true, ZoneOwned: kuma.Always(), LabelsFixed: kuma.Before("2.10"),
	Doc: "A proxy: its address, the services behind it and the services that it consumes. " +
		"The Mesh can require or forbid tags (`constraints`).",
	Use: "Use it for every proxy of a universal service: a sidecar next to an application, or a gateway. " +
		"On Kubernetes the control plane creates Dataplanes from pods. " +
		"A proxy that is started with a Dataplane document of its own does not need this resource.",
	Page:        "production/dp-config/dpp",
	ProxyLabels: proxyLabels,
	Complete:    completeDataplane,
	Fields: def.Object{
		{
			Name: "networking", Required: true, Type: networking, Doc: "Addresses and ports of the proxy.",
			Checks: def.Checks(gatewayHasNoInbounds, object.ListenersAreUnique, object.AdminPortIsFree),
			Design: def.Checks(object.InboundsAreUnique, object.OutboundsAreUnique),
		},
		{
			Name: "metrics", Deprecated: "Use MeshMetric.", Removed: def.RemovedIn3("Use a MeshMetric."),
			Doc: "Metrics of this proxy in the legacy format, which override those of the Mesh.",
			Type: def.Object{
				def.String.Field("name", "Name of the metrics backend of the Mesh."),
				def.String.Required("type", "Type of the backend.", def.OneOf("prometheus")),
				{
					Name: "conf", FreeForm: true, Type: object.Prometheus, Checks: def.Checks(object.SkipMTLSAgrees),
					Doc: "Settings of the backend. Each one replaces the setting of the Mesh.",
				},
			},
		},
		{
			Name: "probes", Deprecated: "Use the application probe proxy of kuma-dp.",
			Removed: def.RemovedIn3("Use the application probe proxy of kuma-dp."), Type: probes,
			Doc: "Paths of the application that can be called without mutual TLS, for health checks from outside the mesh. " +
				"Not allowed for a builtin gateway.",
		},
	},
	Checks: def.Checks(networkingFirst, probesNeedApplication, check.WorkloadName),
	InMesh: inboundsHaveService,
}

var networking = def.Object{
	def.String.Required("address", "IP address or host name under which other proxies reach this one.", check.PeerAddress),
	{
		Name: "advertisedAddress", Type: def.String,
		Removed: def.RemovedIn3("Set address to the address under which other proxies reach this one."),
		Doc: "IP address or host name that is advertised to other proxies if `address` is not reachable from the network. " +
			"Defaults to `address`.",
	},
	{
		Name: "gateway", Removed: def.RemovedIn3("Describe a gateway as a normal Dataplane."),
		Doc: "Makes the proxy a gateway. A gateway has no inbounds.", Checks: def.Checks(gatewayTags),
		Type: def.Object{
			{
				Name: "tags", Type: def.StringMap{}, ServerKeys: object.ZoneTag, Checks: def.Checks(def.TagValues()),
				Doc: "Tags of the gateway, including `kuma.io/service`. The zone control plane adds `kuma.io/zone`.",
			},
			{
				Name: "type", Type: def.String, OneOf: []string{gatewayDelegated, gatewayBuiltin}, Default: gatewayDelegated,
				Doc: "Type of the gateway: `DELEGATED` for the proxy of another gateway product, `BUILTIN` for a gateway that is " +
					"configured by MeshGateway.",
			},
		},
	},
	object.Inbounds,
	object.Outbounds,
	object.TransparentProxying,
	adminAPI,
	object.Listeners,
}

var probes = def.Object{
	def.Int.Required("port", "Port on which the proxy exposes the paths.", check.Unsigned(1, check.MaxPort)),
	{Name: "endpoints", Doc: "The paths.", Type: def.List{Elem: def.Object{
		def.Int.Required("inboundPort", "Port of the application.", check.Unsigned(1, check.MaxPort)),
		def.String.Required("inboundPath", "Path of the application.", check.RequestURI),
		def.String.Required("path", "Path of the proxy.", check.RequestURI),
	}}},
}

var gatewayTags = def.Check{
	Doc: "Unless empty, the tags must include `kuma.io/service`, and `kuma.io/protocol` can only be `tcp`.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		tags := n.Get("tags")
		if !tags.Empty() && !check.HasServiceTag(tags) {
			problems = append(problems, def.ErrorAt(tags, "Missing tag kuma.io/service",
				"A gateway with tags must have the tag \"kuma.io/service\", the name of the gateway. Add it, or remove all tags."))
		}
		return append(problems, def.OneOf("tcp").AnyCase().Test(tags.Get(kuma.TagProtocol))...)
	},
}

// gatewayHasNoInbounds rejects inbounds and listeners of a gateway, which has no
// service behind it, and outbounds of a builtin one, which consumes no service by
// itself.
var gatewayHasNoInbounds = def.Check{Test: func(n tree.Node) []def.Problem {
	gateway := n.Get("gateway")
	if !gateway.Known() {
		return nil
	}
	const why = "This block conflicts with \"gateway\": a gateway serves no application and no zone. Remove one of them."
	problems := append(def.Rejected(n.Get("inbound"), why), def.RejectedUnread(n.Get("listeners"), why)...)
	if kind, _ := gateway.Get("type").Text(); kind == gatewayBuiltin {
		problems = append(problems, def.Rejected(n.Get("outbound"),
			"A builtin gateway gets its destinations from routes. Remove the outbounds, or change the gateway type to DELEGATED.")...)
	}
	return problems
}}

// inboundsHaveService reports inbounds without tags outside the mode Exclusive: a control
// plane stores the first write, and rejects every later one (validation.md, Dataplane).
func inboundsHaveService(n tree.Node, mesh kuma.Resource, r kuma.Release) []def.Problem {
	mode := tree.Root(mesh.Body).Get("meshServices", "mode")
	if mode.Unknown() || ExclusiveMeshServices(mesh) || r.Kuma3() { // which has no tags
		return nil
	}
	name, _ := mode.Text()
	var problems []def.Problem
	for _, in := range n.Get("networking", "inbound").Items() {
		if tags := in.Get("tags"); tags.Empty() {
			problems = append(problems, def.ErrorAt(tags, "Inbound without tags",
				fmt.Sprintf("The mode of MeshServices in mesh %q is %q. "+
					"Outside the mode \"Exclusive\", the control plane stores an inbound without tags once, and rejects every later write of the "+
					"Dataplane. Add the tag \"kuma.io/service\", or set the mode to \"Exclusive\".", mesh.Name, cmp.Or(name, "Disabled"))))
		}
	}
	return problems
}

// networkingFirst hides all other problems of a Dataplane without networking.
var networkingFirst = def.Check{Test: func(n tree.Node) []def.Problem {
	networking := n.Get("networking")
	if !networking.Absent() {
		return nil
	}
	return []def.Problem{def.ErrorAt(networking, "networking is missing",
		"Add a networking block. The control plane checks nothing else without it.").Instead(networking.Path.Parent())}
}}

var probesNeedApplication = def.Check{Test: func(n tree.Node) []def.Problem {
	if kind, _ := n.Get("networking", "gateway", "type").Text(); kind != gatewayBuiltin || !n.Get("probes").Known() {
		return nil
	}
	probes := n.Get("probes")
	return []def.Problem{def.ErrorAt(probes, "Probes not supported on builtin gateways",
		"A builtin gateway has no application to probe. Remove \"probes\", or change the gateway type to DELEGATED.").Instead(probes.Path)}
}}

// proxyLabels follows matching.md §1.3: a delegated gateway counts as a
// sidecar.
func proxyLabels(r kuma.Resource) map[string]string {
	const enabled = "enabled"
	net := tree.Object(r.Body["networking"])
	labels := map[string]string{kuma.LabelProxyType: "sidecar", kuma.LabelZoneIngress: "", kuma.LabelZoneEgress: ""}
	if tree.Object(net["gateway"])["type"] == gatewayBuiltin {
		labels[kuma.LabelProxyType] = "gateway"
	}
	for _, l := range tree.Objects(net["listeners"]) {
		switch l["type"] {
		case kuma.ListenerIngress:
			labels[kuma.LabelZoneIngress] = enabled
		case kuma.ListenerEgress:
			labels[kuma.LabelZoneEgress] = enabled
		}
	}
	return labels
}

// completeDataplane adds what a zone control plane adds: the tag of its zone,
// and, before its first check, the state of an inbound that is probed.
func completeDataplane(r *kuma.Resource, c def.StoreContext) {
	net := tree.Object(r.Body["networking"])
	if c.Release.Kuma3() { // without tags
		c.Zone = ""
	}
	if gateway := tree.Object(net["gateway"]); gateway != nil {
		tagZone(gateway, c.Zone)
	}
	exclusive := ExclusiveMeshServices(c.Mesh)
	for _, in := range tree.Objects(net["inbound"]) {
		if !exclusive || len(tree.Object(in["tags"])) > 0 {
			tagZone(in, c.Zone)
		}
		if c.Create && tree.Object(in["serviceProbe"]) != nil {
			in["health"] = map[string]any{}
			in["state"] = "NotReady"
		}
	}
}

func tagZone(of map[string]any, zone string) {
	if zone == "" {
		return
	}
	tags := tree.Object(of["tags"])
	if tags == nil {
		tags = map[string]any{}
		of["tags"] = tags
	}
	tags[kuma.LabelZone] = zone
}

// IsRedirected reports whether the traffic of the application of a Dataplane is redirected to
// its proxy, as far as the document says so: a proxy can also report it in its insight only.
func IsRedirected(dataplane kuma.Resource) bool {
	redirect := tree.Root(dataplane.Body).Get("networking", "transparentProxying")
	return slices.ContainsFunc([]string{"redirectPortInbound", "redirectPortOutbound"}, func(port string) bool {
		n, _ := redirect.Get(port).Int()
		return n != 0
	})
}
