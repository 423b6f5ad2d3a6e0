package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// maxPort is the highest port number.
const maxPort = 65535

// Values of the type of a gateway.
const (
	gatewayDelegated = "DELEGATED"
	gatewayBuiltin   = "BUILTIN"
)

// Values of the type of a listener.
const (
	listenerIngress = "ZoneIngress"
	listenerEgress  = "ZoneEgress"
)

// Dataplane is a proxy with what it stands for.
var Dataplane = def.Kind{
	Name: "Dataplane", Path: "dataplanes", ShortName: "dp",
	Flat: true, ZoneOwned: true,
	Doc: "A proxy: its address, the services behind it and the services it consumes. On a zone control plane only. " +
		"The Mesh can demand or forbid tags (`constraints`).",
	ProxyLabels: proxyLabels,
	Complete:    completeDataplane,
	Fields: def.Object{
		{
			Name: "networking", Required: true, Type: networking, Doc: "Addresses and ports of the proxy.",
			Checks: def.Checks(gatewayAlone, listenersAreUnique, adminPortIsFree),
		},
		{
			Name: "metrics", Deprecated: "Use MeshMetric.", Doc: "Metrics of this proxy in the old form; they override those of the Mesh.",
			Type: def.Object{
				{Name: "name", Type: def.String, Doc: "Name of the metrics backend of the Mesh."},
				{Name: "type", Type: def.String, Checks: def.Checks(def.OneOf("prometheus")), Doc: "Kind of the backend."},
				{Name: "conf", FreeForm: true, Type: prometheusConf, Checks: def.Checks(skipMTLSAgrees), Doc: "Settings of the backend, which replace those of the Mesh one by one."},
			},
		},
		{
			Name: "probes", Deprecated: "Use the application probe proxy of kuma-dp.", Type: probes,
			Doc: "Paths of the application that can be called without mutual TLS, for health checks from outside. Not with a builtin gateway.",
		},
	},
	Checks:    def.Checks(probesNeedApplication, workloadIsDNSLabel),
	Readiness: dataplaneReadiness,
}

var networking = def.Object{
	{
		Name: "address", Type: def.String, Required: true, Checks: def.Checks(peerAddress),
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
				Name: "tags", Type: def.StringMap{}, ServerKeys: zoneTag,
				Doc: "Tags of the gateway, `kuma.io/service` among them. The zone control plane adds `kuma.io/zone`.",
			},
			{
				Name: "type", Type: def.String, OneOf: []string{gatewayDelegated, gatewayBuiltin}, Default: gatewayDelegated,
				Doc: "`DELEGATED`, the default, stands in front of another gateway product, `BUILTIN` is configured by MeshGateway.",
			},
		},
	},
	{
		Name: "inbound", Type: def.List{Elem: inbound}, Checks: def.Checks(def.Each(serviceBehindInbound)),
		Doc: "The services behind the proxy. Not with a gateway.",
	},
	{
		Name: "outbound", Type: def.List{Elem: outbound}, Checks: def.Checks(def.Each(outboundTarget)),
		Doc: "The services that the application consumes, where traffic is not redirected transparently. Not with a builtin gateway.",
	},
	{Name: "transparentProxying", SnakeCase: true, Type: transparentProxying, Doc: "How traffic is redirected to the proxy transparently. It is not when unset."},
	{Name: "admin", Doc: "Admin API of Envoy.", Type: def.Object{
		{
			Name: "port", Type: def.Int, Checks: def.Checks(unsigned(0, math.MaxUint32)),
			Doc: "Port of the admin API. The proxy chooses it when unset.",
		},
	}},
	{
		Name: "listeners", Since: "2.14", Type: def.List{Elem: listener},
		Doc: "Lets the proxy serve as zone ingress or zone egress. Not with a gateway.",
	},
}

var inbound = def.Object{
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(unsigned(1, maxPort)),
		Doc: "Port on which the proxy accepts traffic.",
	},
	{
		Name: "servicePort", Type: def.Int, Checks: def.Checks(unsigned(0, maxPort)),
		Doc: "Port of the service. The value of `port` when unset.",
	},
	{
		Name: "serviceAddress", Type: def.String, Checks: def.Checks(ipAddress),
		Doc: "IP address of the service. That of the inbound when unset.",
	},
	{
		Name: "address", Type: def.String, Checks: def.Checks(ipAddress),
		Doc: "IP address on which the proxy accepts traffic. The value of `networking.address` when unset.",
	},
	{
		Name: "tags", Type: def.StringMap{}, ServerKeys: zoneTag,
		Checks: def.Checks(inboundTags, def.Tags(tagValue)),
		Doc: "Tags of the service, `kuma.io/service` among them. The zone control plane adds `kuma.io/zone`. " +
			"An inbound without tags works only in a mesh whose `mesh_services.mode` is `Exclusive`.",
	},
	{
		Name: "health", ServerOwned: true, Deprecated: "Use `state`.", Doc: "Whether the service is ready, as older releases noted it.",
		Type: def.Object{
			{Name: "ready", Type: def.Bool, ServerOwned: true, Doc: "Whether the service is ready."},
		},
	},
	{Name: "serviceProbe", Type: serviceProbe, Doc: "How the proxy checks the health of the service. It does not when unset. A new inbound with a probe begins as `NotReady`."},
	{
		Name: "state", Type: def.String, OneOf: []string{"Ready", "NotReady", "Ignored"}, Default: "Ready", ServerOwned: true,
		Doc: "Whether others may send traffic to the inbound: `Ready`, the default, `NotReady`, or `Ignored`, which leaves it out of the configuration of the proxy. Health checks overwrite it.",
	},
	{
		Name: "name", Type: def.String,
		Doc: "Name of the inbound, by which `section_name` of a reference and `target_port` of a MeshService select it. Without a name the port number does.",
	},
	{
		Name: "protocol", Type: def.String, Since: "2.14", Checks: def.Checks(def.OneOf(protocols...)),
		Doc: "Protocol of the service. That of the tag `kuma.io/protocol` when unset, and `tcp` without either.",
	},
}

var serviceProbe = def.Object{
	{Name: "interval", Type: def.ProtoDuration, Checks: def.Checks(notZero), Doc: "Time between two checks."},
	{Name: "timeout", Type: def.ProtoDuration, Checks: def.Checks(notZero), Doc: "Time after which a check has failed."},
	{
		Name: "unhealthyThreshold", SnakeCase: true, Type: def.Int, Distinct: true, Checks: def.Checks(unsigned(1, math.MaxUint32)),
		Doc: "Number of failed checks in a row that make the service unhealthy.",
	},
	{
		Name: "healthyThreshold", SnakeCase: true, Type: def.Int, Distinct: true, Checks: def.Checks(unsigned(1, math.MaxUint32)),
		Doc: "Number of passed checks in a row that make the service healthy.",
	},
	{Name: "tcp", Type: def.Object{}, Doc: "Check by opening a TCP connection. It has no settings."},
}

var outbound = def.Object{
	{
		Name: "address", Type: def.String, Checks: def.Checks(ipAddress),
		Doc: "IP address on which the application finds the service. It is `127.0.0.1` when unset.",
	},
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(unsigned(1, maxPort)),
		Doc: "Port on which the application finds the service.",
	},
	{
		Name: "tags", Type: def.StringMap{},
		Doc: "The service by its tags, `kuma.io/service` among them. Not together with `backend_ref`.",
	},
	{Name: "backendRef", Doc: "The service by reference. Not together with `tags`.", Type: def.Object{
		serviceKind,
		{Name: "name", Type: def.String, Doc: "Name of the object. It or `labels` is needed."},
		{
			Name: "port", Type: def.Int, Checks: def.Checks(unsigned(0, math.MaxUint32)),
			Doc: "Port of the object. It is needed for all kinds but MeshExternalService.",
		},
		{Name: "labels", Type: def.StringMap{}, Doc: "Labels that the object carries. The oldest is taken where several do."},
	}},
}

// serviceKind is the kind of a service that a proxy consumes.
var serviceKind = def.Field{
	Name: "kind", Type: def.String, Required: true,
	Checks: def.Checks(def.OneOf(kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService)),
	Doc:    "Kind of the object.",
}

var transparentProxying = def.Object{
	{
		Name: "redirectPortInbound", SnakeCase: true, Type: def.Int, Checks: def.Checks(unsigned(0, math.MaxUint32)),
		Doc: "Port of the proxy that incoming traffic is redirected to.",
	},
	{
		Name: "redirectPortOutbound", SnakeCase: true, Type: def.Int, Checks: def.Checks(unsigned(0, math.MaxUint32)),
		Doc: "Port of the proxy that outgoing traffic is redirected to.",
	},
	{
		Name: "directAccessServices", SnakeCase: true, Type: def.List{Elem: def.String},
		Doc: "Values of `kuma.io/service` whose instances the application calls by their own addresses, or `*` for all. None when unset.",
	},
	{
		Name: "reachableServices", SnakeCase: true, Type: def.List{Elem: def.String},
		Doc: "Values of `kuma.io/service` that the application consumes; the proxy learns of no others. It learns of all when unset.",
	},
	{
		Name: "ipFamilyMode", SnakeCase: true, Type: def.String, OneOf: []string{"UnSpecified", "DualStack", "IPv4", "IPv6"}, Default: "UnSpecified",
		Doc: "Versions of IP whose traffic is redirected. It is `UnSpecified` when unset, which means both.",
	},
	{Name: "reachableBackends", SnakeCase: true, Doc: "The services that the application consumes, by reference; the proxy learns of no others. It learns of all when unset.", Type: def.Object{
		{
			Name: "refs", Doc: "References to the services. An empty `reachable_backends` means none.", Checks: def.Checks(def.Each(reachableBackend)),
			Type: def.List{Elem: def.Object{
				serviceKind,
				{Name: "name", Type: def.String, Checks: def.Checks(objectName), Doc: "Name of the object. It or `labels` is needed."},
				{Name: "namespace", Type: def.String, Design: def.Checks(def.KubernetesOnly()), Doc: "Kubernetes namespace of the object, next to `name`."},
				{
					Name: "port", Type: def.Int, Distinct: true, Checks: def.Checks(unsigned(0, math.MaxUint32)),
					Doc: "Port of the object. All its ports when unset.",
				},
				{Name: "labels", Type: def.StringMap{}, Doc: "Labels that the objects carry. Not together with `name` or `namespace`."},
			}},
		},
	}},
}

var listener = def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"Unspecified", listenerIngress, listenerEgress}, Default: "Unspecified",
		Doc: "What the listener is for: `ZoneIngress` takes traffic from other zones, `ZoneEgress` sends traffic to them. `Unspecified` counts as unset.",
	},
	{
		Name: "address", Type: def.String, Required: true, Checks: def.Checks(peerAddress),
		Doc: "IP address or host name on which the listener accepts traffic.",
	},
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(unsigned(1, maxPort)),
		Doc: "Port on which the listener accepts traffic. Address and port occur only once among listeners and inbounds.",
	},
	{
		Name: "name", Type: def.String,
		Doc: "Name of the listener, by which `section_name` of a reference selects it. Without a name the port number does.",
	},
	{
		Name: "state", Type: def.String, OneOf: []string{"Ready", "NotReady"}, Default: "Ready", ServerOwned: true,
		Doc: "Whether the listener takes traffic. It is `Ready` when unset.",
	},
}

var probes = def.Object{
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(unsigned(1, maxPort)),
		Doc: "Port on which the proxy offers the paths.",
	},
	{Name: "endpoints", Doc: "The paths.", Type: def.List{Elem: def.Object{
		{
			Name: "inboundPort", Type: def.Int, Required: true, Checks: def.Checks(unsigned(1, maxPort)),
			Doc: "Port of the application.",
		},
		{Name: "inboundPath", Type: def.String, Checks: def.Checks(absolutePath), Doc: "Path at the application."},
		{Name: "path", Type: def.String, Checks: def.Checks(absolutePath), Doc: "Path at the proxy."},
	}}},
}
