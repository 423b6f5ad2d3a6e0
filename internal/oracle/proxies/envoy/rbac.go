package envoy

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	xds "github.com/cncf/xds/go/xds/type/matcher/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	rbac "github.com/envoyproxy/go-control-plane/envoy/config/rbac/v3"
)

// peer is what filters know about a connection and its request.
type peer struct {
	encrypted    bool     // the client speaks TLS
	tls          bool     // the client has presented a certificate
	names        []string // URIs of that certificate
	address      netip.Addr
	local        netip.AddrPort
	serverName   string
	protocols    []string // of ALPN
	request      Request
	http         bool // request is an HTTP request
	filterStates map[string]string
}

// rules are the two forms of rules in RBAC filters, both for connections and for
// requests.
type rules interface {
	GetRules() *rbac.RBAC
	GetMatcher() *xds.Matcher
	GetShadowRules() *rbac.RBAC
	GetShadowMatcher() *xds.Matcher
}

// permit evaluates an RBAC filter; nil if it has no rules that are enforced.
func permit(r rules, p peer) (*Permission, error) {
	allowed, policy, enforced, err := authorize(r.GetRules(), r.GetMatcher(), p)
	if err != nil || !enforced {
		return nil, err
	}
	permission := &Permission{Allowed: allowed, Policy: policy}
	allowed, policy, shadowed, err := authorize(r.GetShadowRules(), r.GetShadowMatcher(), p)
	if shadowed {
		permission.Shadow = &Shadow{Allowed: allowed, Policy: policy}
	}
	return permission, err
}

// authorize evaluates rules or a matcher. ok reports whether there are any.
func authorize(r *rbac.RBAC, m *xds.Matcher, p peer) (allowed bool, policy string, ok bool, err error) {
	switch {
	case m != nil:
		action, err := decide(m, p)
		if err != nil || action == nil { // nothing matches: denied
			return false, "", true, err
		}
		a, isAction := action.(*rbac.Action)
		if !isAction {
			return false, "", true, fmt.Errorf("an action of type %T: %w", action, ErrUnsupported)
		}
		return a.GetAction() != rbac.RBAC_DENY, a.GetName(), true, nil
	case r != nil:
		for _, name := range slices.Sorted(maps.Keys(r.GetPolicies())) {
			matches, err := matchPolicy(r.GetPolicies()[name], p)
			if err != nil || matches {
				return r.GetAction() != rbac.RBAC_DENY, name, true, err
			}
		}
		return r.GetAction() != rbac.RBAC_ALLOW, "", true, nil
	default:
		return false, "", false, nil
	}
}

// matchPolicy reports whether one of the permissions and one of the principals match.
func matchPolicy(policy *rbac.Policy, p peer) (bool, error) {
	if policy.GetCondition() != nil || policy.GetCheckedCondition() != nil {
		return false, fmt.Errorf("a policy with a condition: %w", ErrUnsupported)
	}
	permitted, err := anyOf(policy.GetPermissions(), p.permission)
	if err != nil || !permitted {
		return false, err
	}
	return anyOf(policy.GetPrincipals(), p.principal)
}

func (p peer) permission(permission *rbac.Permission) (bool, error) {
	switch t := permission.GetRule().(type) {
	case *rbac.Permission_Any:
		return t.Any, nil
	case *rbac.Permission_AndRules:
		return allOf(t.AndRules.GetRules(), p.permission)
	case *rbac.Permission_OrRules:
		return anyOf(t.OrRules.GetRules(), p.permission)
	case *rbac.Permission_NotRule:
		ok, err := p.permission(t.NotRule)
		return !ok, err
	case *rbac.Permission_Header:
		if !p.http {
			return false, nil
		}
		return matchHeader(t.Header, p.request.header)
	case *rbac.Permission_UrlPath:
		if !p.http {
			return false, nil
		}
		return matchString(t.UrlPath.GetPath(), p.request.Path)
	case *rbac.Permission_DestinationIp:
		return within(t.DestinationIp, p.local.Addr())
	case *rbac.Permission_DestinationPort:
		return t.DestinationPort == uint32(p.local.Port()), nil
	case *rbac.Permission_DestinationPortRange:
		port := int32(p.local.Port())
		return t.DestinationPortRange.GetStart() <= port && port < t.DestinationPortRange.GetEnd(), nil
	case *rbac.Permission_RequestedServerName:
		return matchString(t.RequestedServerName, p.serverName)
	default:
		return false, fmt.Errorf("a permission of type %T: %w", t, ErrUnsupported)
	}
}

func (p peer) principal(principal *rbac.Principal) (bool, error) {
	switch t := principal.GetIdentifier().(type) {
	case *rbac.Principal_Any:
		return t.Any, nil
	case *rbac.Principal_AndIds:
		return allOf(t.AndIds.GetIds(), p.principal)
	case *rbac.Principal_OrIds:
		return anyOf(t.OrIds.GetIds(), p.principal)
	case *rbac.Principal_NotId:
		ok, err := p.principal(t.NotId)
		return !ok, err
	case *rbac.Principal_Authenticated_:
		name := t.Authenticated.GetPrincipalName()
		if name == nil {
			return p.tls, nil
		}
		return anyOf(p.names, func(uri string) (bool, error) { return matchString(name, uri) })
	case *rbac.Principal_DirectRemoteIp:
		return within(t.DirectRemoteIp, p.address)
	case *rbac.Principal_RemoteIp:
		return within(t.RemoteIp, p.address)
	case *rbac.Principal_Header:
		if !p.http {
			return false, nil
		}
		return matchHeader(t.Header, p.request.header)
	case *rbac.Principal_UrlPath:
		if !p.http {
			return false, nil
		}
		return matchString(t.UrlPath.GetPath(), p.request.Path)
	case *rbac.Principal_FilterState:
		value, ok := p.filterStates[t.FilterState.GetKey()]
		if !ok {
			return false, nil
		}
		return matchString(t.FilterState.GetStringMatch(), value)
	default:
		return false, fmt.Errorf("a principal of type %T: %w", t, ErrUnsupported)
	}
}

// within reports whether an address is in a range.
func within(r *core.CidrRange, address netip.Addr) (bool, error) {
	prefix, err := cidr(r)
	return err == nil && prefix.Contains(address), err
}

func cidr(r *core.CidrRange) (netip.Prefix, error) {
	first, err := netip.ParseAddr(r.GetAddressPrefix())
	if err != nil {
		return netip.Prefix{}, err
	}
	return first.Prefix(int(r.GetPrefixLen().GetValue()))
}
