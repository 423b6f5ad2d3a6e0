package object

import (
	"math"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Inbounds are the services behind a proxy.
var Inbounds = def.Field{
	Name: "inbound", Type: def.List{Elem: inbound},
	Checks: def.Checks(def.Each(serviceBehindInbound)), Design: def.Checks(def.Each(servedProtocol)),
	Doc: "The services behind the proxy. Not allowed for a gateway.",
}

var inbound = def.Object{
	def.Int.Required("port", "Port on which the proxy accepts traffic.", check.Unsigned(1, check.MaxPort)),
	def.Int.Field("servicePort", "Port of the service. Defaults to `port`.", check.Unsigned(0, check.MaxPort)),
	def.String.Field("serviceAddress", "IP address of the service. Defaults to the address of the inbound.", check.IPAddress),
	def.String.Field("address", "IP address on which the proxy accepts traffic. Defaults to `networking.address`.", check.IPAddress),
	{
		Name: "tags", Type: def.StringMap{}, ServerKeys: ZoneTag,
		Removed: def.RemovedIn3("Use labels of the Dataplane, such as kuma.io/workload, and protocol of the inbound."),
		Checks:  def.Checks(inboundTags, def.TagValues()),
		Doc: "Tags of the service, including `kuma.io/service`. The zone control plane adds `kuma.io/zone`. " +
			"An inbound without tags only works in a mesh with `mesh_services.mode` set to `Exclusive`.",
	},
	{
		Name: "health", ServerOwned: true, Deprecated: "Use `state`.", Doc: "Whether the service is ready, in the format of older releases.",
		Type: def.Object{
			{Name: "ready", Type: def.Bool, ServerOwned: true, Doc: "Whether the service is ready."},
		},
	},
	{
		Name: "serviceProbe", Type: serviceProbe,
		Doc: "Health check that the proxy performs on the service. Disabled by default. A new inbound with a probe starts as `NotReady`.",
	},
	{
		Name: "state", Type: def.String, OneOf: []string{"Ready", "NotReady", "Ignored"}, Default: "Ready", ServerOwned: true,
		Doc: "State of the inbound. Only inbounds that are `Ready` receive traffic; `Ignored` omits the inbound from the configuration of the " +
			"proxy. Health checks overwrite it.",
	},
	def.String.Field("name",
		"Name of the inbound. References select it with `section_name`, a MeshService with `target_port`. "+
			"An inbound without a name is selected by its port number."),
	{
		Name: "protocol", Type: def.String, Since: "2.14", RemovedOf: map[string]def.Removal{"kafka": def.RemovedIn3("Use tcp.")},
		Checks: def.Checks(check.InboundProtocol.OrEmpty()),
		Doc: "Protocol of the service, in upper or lower case. A proxy with an inbound of protocol `tls` or `mysql` gets no configuration. " +
			"Defaults to the value of the tag `kuma.io/protocol`, or `tcp` without the tag.",
	},
}

var serviceProbe = def.Object{
	def.ProtoDuration.Field("interval", "Time between two checks.", check.NotZero),
	def.ProtoDuration.Field("timeout", "Time after which a check has failed.", check.NotZero),
	{
		Name: "unhealthyThreshold", SnakeCase: true, Type: def.Int, Distinct: true, Checks: def.Checks(check.Unsigned(1, math.MaxUint32)),
		Doc: "Number of consecutive failed checks after which the service is unhealthy.",
	},
	{
		Name: "healthyThreshold", SnakeCase: true, Type: def.Int, Distinct: true, Checks: def.Checks(check.Unsigned(1, math.MaxUint32)),
		Doc: "Number of consecutive passed checks after which the service is healthy.",
	},
	{Name: "tcp", Type: def.Object{}, Doc: "Checks the service by opening a TCP connection. It has no settings."},
}

var inboundTags = def.Check{
	Doc: "Unless empty, the tags must include `kuma.io/service`.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		if !n.Empty() && !check.HasServiceTag(n) {
			problems = append(problems, def.ErrorAt(n.Get(kuma.TagService), "Missing tag kuma.io/service",
				"An inbound with tags must have the tag \"kuma.io/service\", the name of the service. Add it, or remove all tags."))
		}
		return append(problems, check.InboundProtocol.Test(n.Get(kuma.TagProtocol))...)
	},
	ByRelease: func(n tree.Node, r kuma.Release) []def.Problem {
		const mysql, since = "mysql", "2.10"
		protocol := n.Get(kuma.TagProtocol)
		s, _ := protocol.Text()
		return def.ErrorIf(strings.EqualFold(s, mysql) && !r.Has(since), protocol, mysql+" is not supported",
			"Protocol mysql requires Kuma %s or later, and the control plane runs %s. Use tcp.", since, r)
	},
}

// serviceBehindInbound checks that the address of a service differs from those
// of its inbound and of the proxy: a proxy that forwards to itself would loop.
// The control plane compares both (validation.md, Dataplane).
var serviceBehindInbound = def.Check{Test: func(n tree.Node) []def.Problem {
	service, port, servicePort := n.Get("serviceAddress"), n.Get("port"), n.Get("servicePort")
	own := sameText(service, n.Get("address")) || sameText(service, n.Root().Get("networking", "address"))
	if !own || servicePort.Unknown() {
		return nil
	}
	a, okA := port.Int()
	b, okB := servicePort.Int()
	return def.ErrorIf(okA && (!okB || b == 0 || a == b), service, "Inbound forwards to itself",
		"The service has the port of the inbound, and the address of the inbound or of the proxy. "+
			"Use a different \"serviceAddress\" or \"servicePort\".")
}}

var servedProtocol = def.Check{Test: func(n tree.Node) []def.Problem {
	protocol, unserved := check.UnservedProtocol(n)
	return def.ErrorIf(unserved, protocol, "Unsupported protocol of an inbound",
		"The control plane accepts %q, but then generates no configuration for the proxy. Use tcp.", protocol.Value())
}}.About(def.Frozen)

// inboundAddress returns the address on which an inbound accepts traffic.
func inboundAddress(inbound tree.Node) tree.Node {
	if a := inbound.Get("address"); !a.Empty() {
		return a
	}
	return inbound.Root().Get("networking", "address")
}

// sameText reports whether two nodes are known to contain the same non-empty
// string.
func sameText(a, b tree.Node) bool {
	s, okA := a.Text()
	t, okB := b.Text()
	return okA && okB && s == t && s != ""
}

// ZoneTag is the tag that a control plane adds to what is in its zone.
var ZoneTag = []def.ServerKey{{Name: kuma.LabelZone, Value: func(cp kuma.ControlPlane) string { return cp.Zone }}}
