package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshGateway says on which ports builtin gateways listen.
var MeshGateway = spec.Kind{
	Name: "MeshGateway", Path: "meshgateways", ShortName: "mgw",
	Flat: true, ZoneOwned: true, GlobalOwned: true,
	Doc: "The listeners of builtin gateways, through which traffic from outside enters the mesh. " +
		"The gateways are Dataplanes whose gateway is of type `BUILTIN`; routes that select the MeshGateway say where the traffic goes.",
	Fields: spec.Object{
		{
			Name: "selectors", Required: true, Doc: "The gateways that open the listeners, by their tags; any of the selectors selects. Only one is allowed with `cross_mesh`.",
			Type: spec.List{Elem: spec.Object{
				{
					Name: "match", Type: spec.Map{Elem: spec.String}, Required: true, Checks: spec.Checks(namesService, spec.Tags(tagPattern)),
					Doc: "Tags that a gateway must all carry, `kuma.io/service` among them; `*` stands for any value.",
				},
			}},
		},
		{
			Name: "tags", Type: spec.Map{Elem: spec.String}, Checks: spec.Checks(tagsOfGateway, spec.Tags(tagPattern)),
			Doc: "Tags that all listeners carry, next to their own.",
		},
		{Name: "conf", Required: true, Doc: "Settings of the gateways.", Type: spec.Object{
			{
				Name: "listeners", Type: spec.List{Elem: gatewayListener}, Required: true, Checks: spec.Checks(listenersShare, spec.Each(listenerSecurity)),
				Doc: "The listeners, each a port and a host name. At least one is needed.",
			},
		}},
	},
	Checks:    spec.Checks(oneSelectorAcrossMeshes),
	Readiness: []spec.Condition{builtinGatewayGone},
}

// Values of the protocol of a listener, and of the mode of its TLS.
const (
	unsetEnum      = "NONE"
	listenerHTTP   = "HTTP"
	listenerHTTPS  = "HTTPS"
	tlsTerminate   = "TERMINATE"
	tlsPassthrough = "PASSTHROUGH"
)

var gatewayListener = spec.Object{
	{
		Name: "hostname", Type: spec.String, Checks: spec.Checks(listenerHost),
		Doc: "Host name that the listener serves: a name, a wildcard such as `*.shop.example`, or `*` for all, which is what it serves when unset.",
	},
	{
		Name: "port", Type: spec.Int, Required: true, Checks: spec.Checks(unsigned(1, maxPort)),
		Doc: "Port on which the gateway accepts traffic.",
	},
	{
		Name: "protocol", Type: spec.String, Required: true, OneOf: []string{unsetEnum, "TCP", "TLS", listenerHTTP, listenerHTTPS}, Default: unsetEnum,
		Doc: "Protocol of the traffic. `NONE` counts as unset.",
	},
	{Name: "tls", Doc: "TLS of the listener, which `HTTPS` needs.", Checks: spec.Checks(terminationNeedsCertificates), Type: spec.Object{
		{
			Name: "mode", Type: spec.String, Required: true, OneOf: []string{unsetEnum, tlsTerminate, tlsPassthrough}, Default: unsetEnum,
			Doc: "`TERMINATE` decrypts the traffic at the gateway, `PASSTHROUGH` passes it on encrypted and does not go with `HTTPS`. `NONE` counts as unset.",
		},
		{
			Name: "certificates", Type: spec.List{Elem: dataSourceOrFile(true)}, Design: spec.Checks(spec.Each(oneSource)),
			Doc: "Certificates that the gateway shows, each together with its private key, in PEM format. Each comes from one of these places.",
		},
		{Name: "options", Type: spec.Object{}, Doc: "Reserved for later settings. It has none."},
	}},
	{
		Name: "tags", Type: spec.Map{Elem: spec.String}, Checks: spec.Checks(tagsOfGateway, spec.Tags(tagPattern)),
		Doc: "Tags of the listener, by which a reference to the MeshGateway selects it.",
	},
	{
		Name: "crossMesh", Type: spec.Bool,
		Doc: "Whether the listener serves traffic from other meshes of the control plane, over mutual TLS. It goes with protocol `HTTP` and without `tls`. It does not when unset.",
	},
	{Name: "resources", Doc: "Limits of the listener.", Type: spec.Object{
		{
			Name: "connectionLimit", SnakeCase: true, Type: spec.Int, Checks: spec.Checks(unsigned(0, math.MaxUint32)),
			Doc: "Greatest number of open connections. Unlimited when unset.",
		},
	}},
}
