package rules

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// proxy is a dataplane prepared for matching.
type proxy struct {
	*kuma.Resource
	mesh        *mesh
	id          kuma.ID
	scope       scope // that of the MeshGateway, if there is one, but for the namespace
	address     string
	inbounds    []proxyInbound // of the application
	embedded    []proxyInbound // of a zone proxy inside the proxy
	listeners   []proxyInbound // of meshGateway
	gateway     gatewayMode
	gatewayTags map[string]string
	meshGateway *kuma.Resource // nil when the proxy belongs to none
	identity    kuma.Key       // MeshIdentity of its certificate, if any
	ruleBytes   int            // of the rules by tags in the answer about it, at most
	estimated   []mergeInput   // of the rules by tags whose size in ruleBytes is an estimate
}

type gatewayMode int

const (
	noGateway gatewayMode = iota
	builtinGateway
	delegatedGateway
)

// proxyInbound is a port on which a proxy accepts traffic.
type proxyInbound struct {
	at      address
	name    string
	tags    map[string]string
	ignored bool // its state is Ignored

	protocol string // in lower case
}

type address struct {
	host string
	port int
}

func compareAddresses(a, b address) int {
	return cmp.Or(cmp.Compare(a.port, b.port), cmp.Compare(a.host, b.host))
}

// isNamed reports whether a sectionName selects the inbound. A port number
// selects unnamed inbounds only.
func (m *matching) isNamed(in proxyInbound, section string) bool {
	if in.name == "" && m.inboundByNumber {
		return section == strconv.Itoa(in.at.port)
	}
	return section == in.name
}

// proxy returns the dataplane with a name, which must exist. It is read-only.
func (m *mesh) proxy(dataplane string) *proxy {
	read, ok := m.proxies.Load(dataplane)
	if !ok {
		read, _ = m.proxies.LoadOrStore(dataplane, m.readProxy(m.resource(kuma.KindDataplane, dataplane)))
	}
	dp, _ := read.(*proxy)
	return dp
}

func (m *mesh) readProxy(dataplane *kuma.Resource) *proxy {
	networking := tree.Object(dataplane.Body["networking"])
	dp := &proxy{Resource: dataplane, mesh: m, id: dataplane.ID(), scope: scopeOf(dataplane), address: tree.Text(networking["address"])}
	if i := m.identityOf(dp); i.isReady() {
		dp.identity = i.key
	}
	dp.inbounds = dp.readInbounds(networking["inbound"])
	dp.embedded = dp.readInbounds(networking["listeners"])
	if gateway, ok := networking["gateway"].(map[string]any); ok && !m.matching.byLabels {
		dp.gateway = delegatedGateway
		if tree.Text(gateway["type"]) == "BUILTIN" {
			dp.gateway = builtinGateway
		}
		dp.gatewayTags = tree.StringMap(gateway["tags"])
	}
	dp.attachGateway(m.resources[kuma.KindMeshGateway])
	if dp.meshGateway != nil && !m.matching.gatewayInZone {
		of := scopeOf(dp.meshGateway)
		dp.scope.origin, dp.scope.zone = of.origin, of.zone
	}
	return dp
}

func (dp *proxy) readInbounds(v any) []proxyInbound {
	var out []proxyInbound
	for _, item := range tree.List(v) {
		m := tree.Object(item)
		host := cmp.Or(tree.Text(m["address"]), dp.address)
		out = append(out, proxyInbound{
			at:   address{host, tree.Int(m["port"])},
			name: tree.Text(m["name"]),
			tags: tree.StringMap(m["tags"]),

			ignored:  tree.Text(m["state"]) == "Ignored",
			protocol: protocolOf(cmp.Or(tree.Text(m["protocol"]), tree.StringMap(m["tags"])[kuma.TagProtocol])),
		})
	}
	return out
}

// protocolAt returns the protocol of an inbound of the application, in lower case.
func (dp *proxy) protocolAt(at address) string {
	i := slices.IndexFunc(dp.inbounds, func(in proxyInbound) bool { return in.at == at })
	if dp.gateway != noGateway || i < 0 {
		return ""
	}
	return dp.inbounds[i].protocol
}

// describe returns the description of a port in an answer. Inbounds that share
// a port are all described by the first one.
func (dp *proxy) describe(at address) Inbound {
	out := Inbound{Port: at.port}
	tags := dp.gatewayTags
	if dp.gateway == noGateway {
		i := slices.IndexFunc(dp.inbounds, func(in proxyInbound) bool { return in.at.port == at.port })
		if i >= 0 {
			tags = dp.inbounds[i].tags
			if dp.mesh.matching.namedInbounds {
				out.Name = dp.inbounds[i].name
			}
		}
	}
	if len(tags) > 0 {
		out.Tags = maps.Clone(tags)
	}
	return out
}

const wildcard = "*"

// HasTags reports whether tags contain all of want; a wildcard accepts any
// value of a tag that exists.
func HasTags(tags, want map[string]string) bool {
	for k, v := range want {
		if have, ok := tags[k]; !ok || v != wildcard && v != have {
			return false
		}
	}
	return true
}
