package rules

import "github.com/kuma-universal/terraform-provider-kuma/internal/kuma"

// scope is the zone, namespace and role of a policy or proxy, from its labels.
// It is read once, because every policy is checked for every proxy.
type scope struct {
	shadow       bool // the policy is a shadow policy
	role         kuma.Role
	origin, zone string
	// An empty label is the namespace of proxies without one.
	namespace    string
	hasNamespace bool
}

func scopeOf(r *kuma.Resource) scope {
	s := scope{shadow: r.IsShadow(), role: r.Role(), origin: r.Labels[kuma.LabelOrigin], zone: r.Zone()}
	s.namespace, s.hasNamespace = r.Labels[kuma.LabelK8sNamespace]
	return s
}

// inScope reports whether a policy with this zone, namespace and role can apply
// to the proxy (matching.md §2.2, §2.3).
func (dp *proxy) inScope(p *policy) Exclusion {
	role := p.scope.role
	if role != kuma.RoleProducer && !dp.scope.sharesZone(p.scope) {
		return ExcludedByZone
	}
	if role == kuma.RoleConsumer || role == kuma.RoleWorkloadOwner {
		if !p.scope.hasNamespace || p.scope.namespace != dp.scope.namespace {
			return ExcludedByNamespace
		}
	}
	return NotExcluded
}

// sharesZone reports whether a policy can apply to a proxy of this zone.
func (s scope) sharesZone(policy scope) bool {
	switch {
	case s.origin == "" || s.origin == kuma.OriginGlobal:
		return true
	case policy.origin != kuma.OriginZone || policy.zone == "":
		return true
	default:
		return s.origin == kuma.OriginZone && (s.zone == "" || s.zone == policy.zone)
	}
}
