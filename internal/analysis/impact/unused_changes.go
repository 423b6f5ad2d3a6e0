package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// isUsed reports whether the proxy of a change uses its value, also of what it sends by a tag before the change only.
func (n *unusedChanges) isUsed(before, after usage, k def.Kind, c Change) bool {
	renamed, at := n.renamed[before.dataplane], c.target.section
	switch to, ok := renamed[c.target.renamed]; {
	case c.target.renamed != "":
		byTag := c
		byTag.target.tags = map[string]string{kuma.TagService: c.target.renamed}
		return ok && to.Resource == at.id && c.target.uses == [2]bool{before.appliesByTag(k, byTag), after.applies(k, c)}
	case c.Direction == To && isRenamed(renamed, at.id) && !before.HasService(at.id):
		return false
	case k.Name != kinds.MeshHealthCheck.Name && c.isDisabled():
		return false
	case k.Name == kinds.MeshTrace.Name && !before.traces(c.target.confs[0]) && !after.traces(c.target.confs[1]):
		return false
	case c.isOfOtherBalancer(), c.keepsThreshold(), c.keepsLocality():
		return false
	case isFailover(k, c) && before.staysInZone(c) && after.staysInZone(c):
		return false
	default:
		return isUsed(before, after, k, c)
	}
}

// unusedChanges leaves out what no proxy uses.
type unusedChanges struct {
	*comparison

	known memo[usedKey, *result]
}

// usedKey is everything that the result of leaving out depends on.
type usedKey struct {
	*result

	policyType string
	uses       [2]string // before and after
	routes     [4]*rules.Match
}

// uses identifies what the use of values of a type depends on beside routes.
func (s *snapshot) uses(dataplane, policyType string) string {
	o, p := s.proxies.Outbounds(dataplane), s.proxies
	var own any // of the type
	switch policyType {
	case kinds.MeshTLS.Name:
		own = []any{p.DefaultTLSMode(dataplane), usage{snapshot: s, dataplane: dataplane}.mayHaveCertificate()}
	case kinds.MeshTrace.Name:
		own = s.usageOf(dataplane, policyType).hasRequests()
	}
	return fmt.Sprint(o.Key(), p.HasListener(dataplane, kuma.ListenerEgress), p.IsZoneProxy(dataplane), p.IsBuiltinGateway(dataplane),
		o.Transparent, o.Assumed, s.zoneOf(dataplane), own)
}

// appliesTo reports whether the value of a change has an effect on traffic with one of some protocols.
func (c Change) appliesTo(k def.Kind, protocols ...string) bool {
	field := c.target.path[0]
	if k.Name != kinds.MeshHealthCheck.Name || field == "failTrafficOnPanic" || field == "healthyPanicThreshold" {
		return k.AppliesTo(c.target.path, protocols...)
	}
	return slices.ContainsFunc(protocols, func(protocol string) bool {
		was, is := checkOf(c.target.confs[0], protocol), checkOf(c.target.confs[1], protocol)
		return was != is || was != "" && (k.Protocols(c.target.path) == nil || field == was)
	})
}

// isDisabled reports whether an object with the value of a change is disabled or missing on both sides. Clients without a rule of
// their own have that of all clients.
func (c Change) isDisabled() bool {
	confs := c.target.confs
	for n := 1; n < len(c.target.path) && (confs[0].Known() || confs[1].Known()); n++ {
		if !slices.ContainsFunc(confs[:], func(of tree.Node) bool {
			if of.Absent() {
				return c.Direction != To && !c.target.implied || c.target.listener
			}
			at := tree.Root(tree.At(of.Value(), c.target.path[:n]))
			repeats, limited := at.Get("numRetries").Int()
			return at.Value() != nil && (!at.Get("disabled").True() || proxy.HasGroups(at)) && (!limited || repeats > 0)
		}) {
			return true
		}
	}
	return false
}

// traces reports whether the proxy reports the requests that it handles, to the backends in the conf of its MeshTraces.
func (u usage) traces(conf tree.Node) bool { return conf.Get("backends").Filled() && u.hasRequests() }

// hasRequests reports whether the proxy handles HTTP requests, as far as that is known.
func (u usage) hasRequests() bool {
	in := tree.Root(u.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: u.mesh, Name: u.dataplane}).Body).Get("networking", "inbound").Items()
	isHTTP := func(in tree.Node) bool { return kuma.IsHTTP(request.ProtocolOf(in)) }
	return u.gateway || u.egress || u.isAssumed() && !u.zoneProxy || slices.ContainsFunc(in, isHTTP) ||
		slices.ContainsFunc(u.All, func(o proxy.Outbound) bool { return o.Tags == nil && kuma.IsHTTP(u.listenerProtocol(o.Port)) }) ||
		u.sendsRequestsByTag(Change{}) || u.Transparent && len(u.Resources(u.mesh, kinds.MeshPassthrough.Name)) > 0
}

// isOfOtherBalancer reports whether a value is of a load balancer that neither side has.
func (c Change) isOfOtherBalancer() bool {
	const balancer, depth = "loadBalancer", 3
	if c.Type != kinds.MeshLoadBalancingStrategy.Name || len(c.target.path) < depth || c.target.path[0] != balancer {
		return false
	}
	return !slices.ContainsFunc(c.target.confs[:], func(of tree.Node) bool {
		name, _ := of.Get(balancer, "type").Text()
		field, _ := c.target.path[1].(string)
		return strings.EqualFold(name, field)
	})
}

// keepsLocality reports whether the change only disables or enables a locality awareness with groups.
func (c Change) keepsLocality() bool {
	return c.Type == kinds.MeshLoadBalancingStrategy.Name && c.target.path.String() == "localityAwareness.disabled" &&
		!slices.ContainsFunc(c.target.confs[:], func(of tree.Node) bool { return !proxy.HasGroups(of.Get("localityAwareness")) })
}

// keepsThreshold reports whether proxies have the same threshold of failovers on both sides, which is rounded.
func (c Change) keepsThreshold() bool {
	of := func(conf tree.Node) float64 {
		crossZone := conf.Get("localityAwareness", "crossZone")
		percentage := crossZone.Get("failoverThreshold", "percentage")
		if crossZone.Known() && percentage.Absent() {
			percentage = tree.Root("50")
		}
		_, actual := kinds.FailoverThreshold(percentage)
		return actual
	}
	const threshold = "localityAwareness.crossZone.failoverThreshold.percentage"
	return c.Type == kinds.MeshLoadBalancingStrategy.Name && c.target.path.String() == threshold &&
		of(c.target.confs[0]) == of(c.target.confs[1])
}

// checkOf returns by which part of a MeshHealthCheck proxies check endpoints with a protocol, empty if they do not. The part for TCP
// takes the place of one that is disabled.
func checkOf(conf tree.Node, protocol string) string {
	part, tcp := strings.TrimSuffix(protocol, "2"), conf.Get("tcp")
	switch own := conf.Get(part); {
	case own.Value() == nil:
		return ""
	case !own.Get("disabled").True():
		return part
	case tcp.Value() != nil && !tcp.Get("disabled").True():
		return "tcp"
	default:
		return ""
	}
}

// keepsDefault reports whether a value that a policy sets on one side only is the default of the other.
func keepsDefault(before, after usage, c Change) bool {
	to := c.target.section.id
	switch {
	case to != (kuma.ID{}) && c.target.renamed == "" && (before.ids[to] == nil || after.ids[to] == nil),
		before.gateway || after.gateway || before.egress || after.egress:
		return false
	case c.Before == nil && c.After != nil:
		return before.hasByDefault(c, c.After.JSON)
	case c.After == nil && c.Before != nil:
		return after.hasByDefault(c, c.Before.JSON)
	default:
		return false
	}
}

// hasByDefault reports whether the proxy has the value of a change without a policy that sets it. With any MeshLoadBalancingStrategy for
// what it reaches by tags, endpoints of its own zone come first (proxies.md §3).
func (u usage) hasByDefault(c Change, json string) bool {
	value, _ := strconv.Unquote(json)
	path := c.target.path.String()
	byDefault := kinds.ProxyDefaults[c.Type][path]
	switch {
	case c.Type == kinds.MeshTimeout.Name && c.target.implied:
		return request.IsDefaultTimeout(path, value) && (!c.target.unruled || !u.sendsRequestsByTag(c))
	case path == "backends": // of telemetry
		return json == "[]"
	case c.Type == kinds.MeshLoadBalancingStrategy.Name && path == "loadBalancer.type":
		return value == "RoundRobin" &&
			(!c.target.unruled || u.proxies.PrefersOwnZone(true, tree.Node{}) || !slices.ContainsFunc(u.outbounds(), u.leavesByTag))
	case c.Type == kinds.MeshTLS.Name && path == "mode":
		return u.proxies.DefaultTLSMode(u.dataplane) == value
	case c.Type == kinds.MeshPassthrough.Name && path == passthroughMode:
		return cmp.Or(u.passthrough, u.defaultPassthrough()) == value
	case c.Type == kinds.MeshCircuitBreaker.Name:
		return byDefault == json && (c.target.path[0] == "connectionLimits" || c.target.bothHave(c.target.path.Parent()))
	case c.Type == kinds.MeshRetry.Name:
		both := c.target.bothHave(c.target.path[:min(1, len(c.target.path))])
		repeats := "0" // nothing is repeated without other settings, and once with them
		if both {
			repeats = "1"
		}
		return strings.HasSuffix(path, ".numRetries") && json == repeats ||
			both && (strings.HasSuffix(path, ".perTryTimeout") && value == "0s" ||
				strings.HasSuffix(path, ".baseInterval") && value == "25ms" || byDefault == json)
	default:
		return byDefault == json && c.target.bothHave(c.target.path.Parent())
	}
}

// bothHave reports whether both sides have an object of the conf.
func (t target) bothHave(at tree.Path) bool {
	return !slices.ContainsFunc(t.confs[:], func(conf tree.Node) bool { return tree.At(conf.Value(), at) == nil })
}

// without returns the changes of a result that the proxy of a dataplane uses on one of the sides.
func (n *unusedChanges) without(r *result, dataplane, policyType string) *result {
	if len(r.changes) == 0 {
		return r
	}
	uses := [2]string{n.before.uses(dataplane, policyType), n.after.uses(dataplane, policyType) + fmt.Sprint(n.renamed[dataplane])}
	key := usedKey{r, policyType, uses, n.routeMatches(dataplane)}
	return n.known.get(key, func() *result {
		out := &result{}
		before, after := n.before.usageOf(dataplane, policyType), n.after.usageOf(dataplane, policyType)
		after.ownRules = before.ownRules // of both sides
		k, _ := kinds.Find(policyType)
		for _, c := range r.changes {
			if !n.isUsed(before, after, k, *c) || keepsDefault(before, after, *c) {
				continue
			}
			if c.target.renamed != "" {
				own := *c
				own.target.renamed, own.target.uses = "", [2]bool{}
				c = &own
			}
			out.changes = append(out.changes, c)
		}
		if len(out.changes) > 0 {
			out.causes = r.causes
		}
		return out
	})
}
