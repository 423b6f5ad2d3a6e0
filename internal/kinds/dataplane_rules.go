package kinds

import (
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// tagProtocol is the tag that names the protocol of an inbound.
const tagProtocol = "kuma.io/protocol"

// protocols are those that a proxy understands.
var protocols = []string{"tcp", "http", "http2", "grpc", "kafka"}

var absolutePath = def.Check{Doc: "A path that begins with `/`.", Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if _, err := url.ParseRequestURI(s); ok && s != "" && err != nil {
		return []def.Problem{def.ErrorAt(n, "Invalid path", fmt.Sprintf("%q is no path: begin it with \"/\".", s))}
	}
	return nil
}}

var objectName = def.Check{Test: func(n tree.Node) []def.Problem {
	if s, ok := n.Text(); ok && s != "" && !kuma.IsDNSSubdomain(s) {
		return []def.Problem{def.ErrorAt(n, "Invalid name", fmt.Sprintf("%q is no name of an object: use lower case letters, digits, \"-\" and \".\".", s))}
	}
	return nil
}}

// notZero checks a duration of a probe, for which zero is no default.
var notZero = def.Check{Doc: "Not zero.", Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if d, err := time.ParseDuration(s); ok && err == nil && d == 0 {
		return []def.Problem{def.ErrorAt(n, "Duration is zero", "Give a duration, or leave the member out.")}
	}
	return nil
}}

// hasService reports whether tags may name a service: they do, or are unknown.
func hasService(tags tree.Node) bool { return !tags.Get(kuma.TagService).Absent() }

var inboundTags = def.Check{
	Doc: "`kuma.io/service` must be among them unless there are none.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		if !n.Empty() && !hasService(n) {
			problems = append(problems, def.ErrorAt(n.Get(kuma.TagService), "The tag kuma.io/service is missing", "An inbound with tags needs \"kuma.io/service\", the name of the service. Add it, or remove all tags."))
		}
		return append(problems, def.OneOf(protocols...).Test(n.Get(tagProtocol))...)
	},
}

var gatewayTags = def.Check{
	Doc: "The tags hold `kuma.io/service` unless there are none, and `kuma.io/protocol` can only be `tcp`.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		tags := n.Get("tags")
		if !tags.Empty() && !hasService(tags) {
			problems = append(problems, def.ErrorAt(tags, "The tag kuma.io/service is missing", "A gateway with tags needs \"kuma.io/service\", the name of the gateway. Add it, or remove all tags."))
		}
		return append(problems, def.OneOf("tcp").Test(tags.Get(tagProtocol))...)
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

var outboundTarget = def.Check{
	Doc: "Either `backend_ref`, or `tags` with `kuma.io/service`.",
	Test: func(n tree.Node) []def.Problem {
		tags, ref := n.Get("tags"), n.Get("backendRef")
		switch {
		case ref.Absent() && !tags.Unknown() && !hasService(tags):
			return []def.Problem{def.ErrorAt(tags, "The outbound has no destination", "An outbound needs a \"backendRef\", or the tag \"kuma.io/service\". Add one of them.")}
		case !ref.Known():
			return nil
		case tags.Filled():
			return []def.Problem{def.ErrorAt(ref, "backendRef excludes tags", "An outbound names its destination by \"backendRef\" or by \"tags\". Remove one of them.")}
		}
		var problems []def.Problem
		if ref.Get("name").Empty() && ref.Get("labels").Empty() {
			problems = append(problems, def.ErrorAt(ref, "name or labels is missing", "The reference needs \"name\" or \"labels\" to say which object it means."))
		}
		kind, known := ref.Get("kind").Text()
		if port := ref.Get("port"); known && kind != kuma.KindMeshExternalService && !port.Unknown() {
			if p, _ := port.Int(); p < 1 || p > maxPort {
				problems = append(problems, def.ErrorAt(port, "Port is missing or out of range", fmt.Sprintf("A reference to a %s needs a port from 1 to %d.", kind, maxPort)))
			}
		}
		return problems
	},
}

var reachableBackend = def.Check{
	Doc: "Either `name`, with `namespace` where needed, or `labels`.",
	Test: func(n tree.Node) []def.Problem {
		name, namespace, labels := n.Get("name"), n.Get("namespace"), n.Get("labels")
		switch {
		case name.Empty() && namespace.Filled():
			return []def.Problem{def.ErrorAt(name, "name is missing", "A reference with a \"namespace\" needs a \"name\" too.")}
		case name.Empty() && labels.Empty():
			return []def.Problem{def.ErrorAt(name, "name or labels is missing", "The reference needs \"name\" or \"labels\" to say which objects it means.")}
		case name.Filled() && labels.Filled():
			return []def.Problem{def.ErrorAt(labels, "labels exclude name and namespace", "The reference is either by name (and namespace) or by labels. Remove one of them.")}
		}
		return nil
	},
}

// gatewayAlone: a gateway has no service behind it, and a builtin one consumes
// none by itself.
var gatewayAlone = def.Check{Test: func(n tree.Node) []def.Problem {
	gateway := n.Get("gateway")
	if !gateway.Known() {
		return nil
	}
	problems := refuseAll(n, "The proxy is a gateway, which serves no application and no zone. Remove this block, or \"gateway\".", []string{"inbound"}, []string{"listeners"})
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

// listenersAreUnique: names and sockets occur only once among listeners and
// inbounds.
var listenersAreUnique = def.Check{Test: func(n tree.Node) []def.Problem {
	var problems []def.Problem
	names, sockets := map[string]bool{}, map[string]bool{}
	for _, in := range n.Get("inbound").Items() {
		if name, ok := in.Get("name").Text(); ok && name != "" {
			names[name] = true
		}
		if s, ok := socket(inboundAddress(in), in.Get("port")); ok {
			sockets[s] = true
		}
	}
	for _, l := range n.Get("listeners").Items() {
		if name, ok := l.Get("name").Text(); ok && name != "" {
			if names[name] {
				problems = append(problems, def.ErrorAt(l.Get("name"), "Duplicate name", fmt.Sprintf("%q is the name of another listener or inbound. Choose a different one.", name)))
			}
			names[name] = true
		}
		if s, ok := socket(l.Get("address"), l.Get("port")); ok {
			if sockets[s] {
				problems = append(problems, def.ErrorAt(l, "Address and port are taken", fmt.Sprintf("Another listener or inbound accepts traffic on %s. Choose another port.", s)))
			}
			sockets[s] = true
		}
	}
	return problems
}}

func socket(address, port tree.Node) (string, bool) {
	a, okA := address.Text()
	p, okP := port.Int()
	return fmt.Sprintf("%s:%d", a, p), okA && okP
}

// adminPortIsFree: the admin API listens on the loopback address.
var adminPortIsFree = def.Check{Test: func(n tree.Node) []def.Problem {
	admin := n.Get("admin", "port")
	port, ok := admin.Int()
	if !ok || port == 0 {
		return nil
	}
	taken := func(what string, address string, by tree.Node) []def.Problem {
		ip, err := netip.ParseAddr(address)
		if p, ok := by.Int(); !ok || p != port || err != nil || !ip.IsLoopback() {
			return nil
		}
		return []def.Problem{def.ErrorAt(admin, "The admin port is taken", fmt.Sprintf("An %s uses port %d of the loopback address too. Choose another port for one of them.", what, port))}
	}
	for _, in := range n.Get("inbound").Items() {
		address, _ := inboundAddress(in).Text()
		if problems := taken("inbound", address, in.Get("port")); problems != nil {
			return problems
		}
	}
	for _, out := range n.Get("outbound").Items() {
		address, _ := out.Get("address").Text()
		if out.Get("address").Empty() {
			address = "127.0.0.1"
		}
		if problems := taken("outbound", address, out.Get("port")); problems != nil {
			return problems
		}
	}
	return nil
}}

var workloadIsDNSLabel = def.Check{
	Doc: "The label `kuma.io/workload` is a DNS label: lower case letters, digits and `-`, at most 63 characters.",
	Test: func(n tree.Node) []def.Problem {
		label := n.Root().Get("labels", kuma.LabelWorkload)
		if s, ok := label.Text(); ok && !kuma.IsDNSLabel(s) {
			return []def.Problem{def.ErrorAt(label, "Invalid name of a workload", fmt.Sprintf("%q becomes the name of a Workload: use at most %d lower case letters, digits and \"-\", begin with a letter and do not end with \"-\".", s, maxNamePart))}
		}
		return nil
	},
}.At(def.Objects)

// proxyLabels follows matching.md §1.3: a delegated gateway counts as a
// sidecar.
func proxyLabels(r kuma.Resource) map[string]string {
	const enabled = "enabled"
	net := member(r.Body, "networking")
	labels := map[string]string{kuma.LabelProxyType: "sidecar", kuma.LabelZoneIngress: "", kuma.LabelZoneEgress: ""}
	if member(net, "gateway")["type"] == gatewayBuiltin {
		labels[kuma.LabelProxyType] = "gateway"
	}
	for _, l := range members(net, "listeners") {
		switch l["type"] {
		case listenerIngress:
			labels[kuma.LabelZoneIngress] = enabled
		case listenerEgress:
			labels[kuma.LabelZoneEgress] = enabled
		}
	}
	return labels
}

// completeDataplane writes what a zone control plane adds: the tag of its zone,
// and, before its first check, the state of an inbound that is probed.
func completeDataplane(r *kuma.Resource, c def.Circumstances) {
	net := member(r.Body, "networking")
	if gateway := member(net, "gateway"); gateway != nil {
		tagZone(gateway, c.Zone)
	}
	exclusive := ExclusiveMeshServices(c.Mesh)
	for _, in := range members(net, "inbound") {
		if !exclusive || len(member(in, "tags")) > 0 {
			tagZone(in, c.Zone)
		}
		if c.Create && member(in, "serviceProbe") != nil {
			in["health"] = map[string]any{}
			in["state"] = "NotReady"
		}
	}
}

// zoneTag is the tag that a control plane gives to what is in its zone.
var zoneTag = []def.ServerKey{{Name: kuma.LabelZone, Value: func(cp kuma.ControlPlane) string { return cp.Zone }}}

func tagZone(of map[string]any, zone string) {
	if zone == "" {
		return
	}
	tags := member(of, "tags")
	if tags == nil {
		tags = map[string]any{}
		of["tags"] = tags
	}
	tags[kuma.LabelZone] = zone
}

func member(m map[string]any, name string) map[string]any {
	o, _ := m[name].(map[string]any)
	return o
}

func members(m map[string]any, name string) []map[string]any {
	list, _ := m[name].([]any)
	out := make([]map[string]any, 0, len(list))
	for _, e := range list {
		if o, ok := e.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}
