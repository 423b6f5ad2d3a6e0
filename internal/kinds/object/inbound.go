package object

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Inbounds are the services behind a proxy.
var Inbounds = def.Field{
	Name: "inbound", Type: def.List{Elem: inbound}, Checks: def.Checks(def.Each(serviceBehindInbound)),
	Doc: "The services behind the proxy. Not with a gateway.",
}

var inbound = def.Object{
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(check.Unsigned(1, check.MaxPort)),
		Doc: "Port on which the proxy accepts traffic.",
	},
	{
		Name: "servicePort", Type: def.Int, Checks: def.Checks(check.Unsigned(0, check.MaxPort)),
		Doc: "Port of the service. The value of `port` when unset.",
	},
	{
		Name: "serviceAddress", Type: def.String, Checks: def.Checks(check.IPAddress),
		Doc: "IP address of the service. That of the inbound when unset.",
	},
	{
		Name: "address", Type: def.String, Checks: def.Checks(check.IPAddress),
		Doc: "IP address on which the proxy accepts traffic. The value of `networking.address` when unset.",
	},
	{
		Name: "tags", Type: def.StringMap{}, ServerKeys: ZoneTag,
		Checks: def.Checks(inboundTags, def.TagValues()),
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
		Name: "protocol", Type: def.String, Since: "2.14", Checks: def.Checks(def.OneOf(check.Protocols...)),
		Doc: "Protocol of the service. That of the tag `kuma.io/protocol` when unset, and `tcp` without either.",
	},
}

var serviceProbe = def.Object{
	{Name: "interval", Type: def.ProtoDuration, Checks: def.Checks(check.NotZero), Doc: "Time between two checks."},
	{Name: "timeout", Type: def.ProtoDuration, Checks: def.Checks(check.NotZero), Doc: "Time after which a check has failed."},
	{
		Name: "unhealthyThreshold", SnakeCase: true, Type: def.Int, Distinct: true, Checks: def.Checks(check.Unsigned(1, math.MaxUint32)),
		Doc: "Number of failed checks in a row that make the service unhealthy.",
	},
	{
		Name: "healthyThreshold", SnakeCase: true, Type: def.Int, Distinct: true, Checks: def.Checks(check.Unsigned(1, math.MaxUint32)),
		Doc: "Number of passed checks in a row that make the service healthy.",
	},
	{Name: "tcp", Type: def.Object{}, Doc: "Check by opening a TCP connection. It has no settings."},
}

var inboundTags = def.Check{
	Doc: "`kuma.io/service` must be among them unless there are none.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		if !n.Empty() && !check.HasServiceTag(n) {
			problems = append(problems, def.ErrorAt(n.Get(kuma.TagService), "The tag kuma.io/service is missing", "An inbound with tags needs \"kuma.io/service\", the name of the service. Add it, or remove all tags."))
		}
		return append(problems, def.OneOf(check.Protocols...).Test(n.Get(kuma.TagProtocol))...)
	},
}

// serviceBehindInbound: a proxy that forwards to itself would loop.
var serviceBehindInbound = def.Check{Test: func(n tree.Node) []def.Problem {
	service, port, servicePort := n.Get("serviceAddress"), n.Get("port"), n.Get("servicePort")
	if !sameText(service, inboundAddress(n)) || servicePort.Unknown() {
		return nil
	}
	a, okA := port.Int()
	b, okB := servicePort.Int()
	if !okA || okB && b != 0 && a != b {
		return nil
	}
	return []def.Problem{def.ErrorAt(service, "The inbound forwards to itself", "Service and inbound have the same address and port. Give the service another \"serviceAddress\" or \"servicePort\".")}
}}

// inboundAddress returns the address on which an inbound accepts traffic.
func inboundAddress(inbound tree.Node) tree.Node {
	if a := inbound.Get("address"); !a.Empty() {
		return a
	}
	return inbound.Root().Get("networking", "address")
}

// sameText reports whether two nodes surely hold the same, not empty text.
func sameText(a, b tree.Node) bool {
	s, okA := a.Text()
	t, okB := b.Text()
	return okA && okB && s == t && s != ""
}

// ZoneTag is the tag that a control plane gives to what is in its zone.
var ZoneTag = []def.ServerKey{{Name: kuma.LabelZone, Value: func(cp kuma.ControlPlane) string { return cp.Zone }}}
