package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
)

// MeshGateway says on which ports builtin gateways listen.
var MeshGateway = def.Kind{
	Name: "MeshGateway", Path: "meshgateways", ShortName: "mgw",
	Flat: true, ZoneOwned: true, GlobalOwned: true,
	Doc: "The listeners of builtin gateways, through which traffic from outside enters the mesh. " +
		"The gateways are Dataplanes whose gateway is of type `BUILTIN`; routes that select the MeshGateway say where the traffic goes.",
	Fields: def.Object{
		{
			Name: "selectors", Required: true, Doc: "The gateways that open the listeners, by their tags; any of the selectors selects. Only one is allowed with `cross_mesh`.",
			Type: def.List{Elem: def.Object{
				{
					Name: "match", Type: def.StringMap{}, Required: true, Checks: def.Checks(namesService, def.Tags(tagPattern)),
					Doc: "Tags that a gateway must all carry, `kuma.io/service` among them; `*` stands for any value.",
				},
			}},
		},
		{
			Name: "tags", Type: def.StringMap{}, Checks: def.Checks(tagsOfGateway, def.Tags(tagPattern)),
			Doc: "Tags that all listeners carry, next to their own.",
		},
		{Name: "conf", Required: true, Doc: "Settings of the gateways.", Type: def.Object{
			{
				Name: "listeners", Type: def.List{Elem: gatewayListener}, Required: true, Checks: def.Checks(listenersShare, def.Each(listenerSecurity)),
				Doc: "The listeners, each a port and a host name. At least one is needed.",
			},
		}},
	},
	Checks:    def.Checks(oneSelectorAcrossMeshes),
	Readiness: []def.Condition{builtinGatewayGone},
}

// Values of the protocol of a listener, and of the mode of its TLS.
const (
	unsetEnum      = "NONE"
	listenerHTTP   = "HTTP"
	listenerHTTPS  = "HTTPS"
	tlsTerminate   = "TERMINATE"
	tlsPassthrough = "PASSTHROUGH"
)

var gatewayListener = def.Object{
	{
		Name: "hostname", Type: def.String, Checks: def.Checks(listenerHost),
		Doc: "Host name that the listener serves: a name, a wildcard such as `*.shop.example`, or `*` for all, which is what it serves when unset.",
	},
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(unsigned(1, maxPort)),
		Doc: "Port on which the gateway accepts traffic.",
	},
	{
		Name: "protocol", Type: def.String, Required: true, OneOf: []string{unsetEnum, "TCP", "TLS", listenerHTTP, listenerHTTPS}, Default: unsetEnum,
		Doc: "Protocol of the traffic. `NONE` counts as unset.",
	},
	{Name: "tls", Doc: "TLS of the listener, which `HTTPS` needs.", Checks: def.Checks(terminationNeedsCertificates), Type: def.Object{
		{
			Name: "mode", Type: def.String, Required: true, OneOf: []string{unsetEnum, tlsTerminate, tlsPassthrough}, Default: unsetEnum,
			Doc: "`TERMINATE` decrypts the traffic at the gateway, `PASSTHROUGH` passes it on encrypted and does not go with `HTTPS`. `NONE` counts as unset.",
		},
		{
			Name: "certificates", Type: def.List{Elem: dataSourceOrFile(true)}, Design: def.Checks(def.Each(oneSource)),
			Doc: "Certificates that the gateway shows, each together with its private key, in PEM format. Each comes from one of these places.",
		},
		{Name: "options", Type: def.Object{}, Doc: "Reserved for later settings. It has none."},
	}},
	{
		Name: "tags", Type: def.StringMap{}, Checks: def.Checks(tagsOfGateway, def.Tags(tagPattern)),
		Doc: "Tags of the listener, by which a reference to the MeshGateway selects it.",
	},
	{
		Name: "crossMesh", Type: def.Bool,
		Doc: "Whether the listener serves traffic from other meshes of the control plane, over mutual TLS. It goes with protocol `HTTP` and without `tls`. It does not when unset.",
	},
	{Name: "resources", Doc: "Limits of the listener.", Type: def.Object{
		{
			Name: "connectionLimit", SnakeCase: true, Type: def.Int, Checks: def.Checks(unsigned(0, math.MaxUint32)),
			Doc: "Greatest number of open connections. Unlimited when unset.",
		},
	}},
}
