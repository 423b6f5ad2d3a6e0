package kinds

import (
	"math"

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

// Dataplane is a proxy with what it stands for.
var Dataplane = def.Kind{
	Name: "Dataplane", Path: "dataplanes", ShortName: "dp",
	Flat: true, ZoneOwned: true, LabelsFixedBefore: "2.10",
	Doc: "A proxy: its address, the services behind it and the services it consumes. On a zone control plane only. " +
		"The Mesh can demand or forbid tags (`constraints`).",
	ProxyLabels: proxyLabels,
	Complete:    completeDataplane,
	Fields: def.Object{
		{
			Name: "networking", Required: true, RequiredFirst: true, Type: networking, Doc: "Addresses and ports of the proxy.",
			Checks: def.Checks(gatewayHasNoInbounds, object.ListenersAreUnique, object.AdminPortIsFree),
		},
		{
			Name: "metrics", Deprecated: "Use MeshMetric.", Doc: "Metrics of this proxy in the old form; they override those of the Mesh.",
			Type: def.Object{
				{Name: "name", Type: def.String, Doc: "Name of the metrics backend of the Mesh."},
				{Name: "type", Type: def.String, Required: true, Checks: def.Checks(def.OneOf("prometheus")), Doc: "Kind of the backend."},
				{Name: "conf", FreeForm: true, Type: object.Prometheus, Checks: def.Checks(object.SkipMTLSAgrees), Doc: "Settings of the backend, which replace those of the Mesh one by one."},
			},
		},
		{
			Name: "probes", Deprecated: "Use the application probe proxy of kuma-dp.", Type: probes,
			Doc: "Paths of the application that can be called without mutual TLS, for health checks from outside. Not with a builtin gateway.",
		},
	},
	Checks: def.Checks(probesNeedApplication, check.WorkloadName),
}

var networking = def.Object{
	{
		Name: "address", Type: def.String, Required: true, Checks: def.Checks(check.PeerAddress),
		Doc: "IP address or host name under which other proxies reach this one.",
	},
	{
		Name: "advertisedAddress", Type: def.String,
		Doc: "IP address or host name to tell others where `address` cannot be reached from the network. The value of `address` when unset.",
	},
	{
		Name: "gateway", Doc: "Makes the proxy a gateway, which has no inbounds.", Checks: def.Checks(gatewayTags),
		Type: def.Object{
			{
				Name: "tags", Type: def.StringMap{}, ServerKeys: object.ZoneTag, Checks: def.Checks(def.TagValues()),
				Doc: "Tags of the gateway, `kuma.io/service` among them. The zone control plane adds `kuma.io/zone`.",
			},
			{
				Name: "type", Type: def.String, OneOf: []string{gatewayDelegated, gatewayBuiltin}, Default: gatewayDelegated,
				Doc: "`DELEGATED`, the default, stands in front of another gateway product, `BUILTIN` is configured by MeshGateway.",
			},
		},
	},
	object.Inbounds,
	object.Outbounds,
	object.TransparentProxying,
	{Name: "admin", Doc: "Admin API of Envoy.", Type: def.Object{
		{
			Name: "port", Type: def.Int, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
			Doc: "Port of the admin API. The proxy chooses it when unset.",
		},
	}},
	object.Listeners,
}

var probes = def.Object{
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(check.Unsigned(1, check.MaxPort)),
		Doc: "Port on which the proxy offers the paths.",
	},
	{Name: "endpoints", Doc: "The paths.", Type: def.List{Elem: def.Object{
		{
			Name: "inboundPort", Type: def.Int, Required: true, Checks: def.Checks(check.Unsigned(1, check.MaxPort)),
			Doc: "Port of the application.",
		},
		{Name: "inboundPath", Type: def.String, Required: true, Checks: def.Checks(check.RequestURI), Doc: "Path at the application."},
		{Name: "path", Type: def.String, Required: true, Checks: def.Checks(check.RequestURI), Doc: "Path at the proxy."},
	}}},
}

var gatewayTags = def.Check{
	Doc: "The tags hold `kuma.io/service` unless there are none, and `kuma.io/protocol` can only be `tcp`.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		tags := n.Get("tags")
		if !tags.Empty() && !check.HasServiceTag(tags) {
			problems = append(problems, def.ErrorAt(tags, "The tag kuma.io/service is missing", "A gateway with tags needs \"kuma.io/service\", the name of the gateway. Add it, or remove all tags."))
		}
		return append(problems, def.OneOf("tcp").Test(tags.Get(kuma.TagProtocol))...)
	},
}

// gatewayHasNoInbounds: a gateway has no service behind it, and a builtin one consumes
// none by itself.
var gatewayHasNoInbounds = def.Check{Test: func(n tree.Node) []def.Problem {
	gateway := n.Get("gateway")
	if !gateway.Known() {
		return nil
	}
	const why = "The proxy is a gateway, which serves no application and no zone. Remove this block, or \"gateway\"."
	problems := append(def.Refused(n.Get("inbound"), why), def.RefusedUnread(n.Get("listeners"), why)...)
	if kind, _ := gateway.Get("type").Text(); kind == gatewayBuiltin {
		problems = append(problems, def.Refused(n.Get("outbound"), "A builtin gateway gets its destinations from routes. Remove the outbounds, or make the gateway DELEGATED.")...)
	}
	return problems
}}

var probesNeedApplication = def.Check{Test: func(n tree.Node) []def.Problem {
	if kind, _ := n.Get("networking", "gateway", "type").Text(); kind != gatewayBuiltin || !n.Get("probes").Known() {
		return nil
	}
	return []def.Problem{def.ErrorAt(n.Get("probes"), "A builtin gateway has no probes", "There is no application behind a builtin gateway. Remove \"probes\", or make the gateway DELEGATED.")}
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
		case object.ListenerIngress:
			labels[kuma.LabelZoneIngress] = enabled
		case object.ListenerEgress:
			labels[kuma.LabelZoneEgress] = enabled
		}
	}
	return labels
}

// completeDataplane writes what a zone control plane adds: the tag of its zone,
// and, before its first check, the state of an inbound that is probed.
func completeDataplane(r *kuma.Resource, c def.StoreContext) {
	net := tree.Object(r.Body["networking"])
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
