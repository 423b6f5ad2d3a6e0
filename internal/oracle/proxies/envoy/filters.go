package envoy

import (
	"cmp"
	"fmt"
	"math/big"
	"net/http"

	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	matching "github.com/envoyproxy/go-control-plane/envoy/extensions/common/matching/v3"
	skip "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/common/matcher/action/v3"
	compressor "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/compressor/v3"
	fault "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/fault/v3"
	stats "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/grpc_stats/v3"
	limit "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/local_ratelimit/v3"
	lua "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/lua/v3"
	rbac "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/rbac/v3"
	router "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	hcm "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	"google.golang.org/protobuf/types/known/anypb"
)

// addHTTP evaluates the HTTP filters of a connection manager, of which some have
// settings in the route; nil without one. It returns whether a filter denies the
// request: the filters after it do not get it.
func (f *Filters) addHTTP(m *hcm.HttpConnectionManager, to *route.Route, p peer) (denied bool, err error) {
	for _, filter := range m.GetHttpFilters() {
		config, err := httpFilter(filter, p)
		if err != nil {
			return false, err
		}
		own := to.GetTypedPerFilterConfig()[filter.GetName()]
		switch config := config.(type) {
		case nil, *router.Router, *stats.FilterConfig, *compressor.Compressor, *lua.Lua: // Kuma's scripts only prepare logs
		case *rbac.RBAC:
			if own != nil {
				return false, fmt.Errorf("permissions of a route: %w", ErrUnsupported)
			}
			permission, err := permit(config, p)
			if err != nil {
				return false, err
			}
			if permission != nil {
				f.Permission = permission
				if !permission.Allowed {
					return true, nil
				}
			}
		case *fault.HTTPFault:
			if err := f.addFault(filter.GetName(), config, own, p.request); err != nil {
				return false, err
			}
		case *limit.LocalRateLimit:
			if err := f.addLimit(config, own); err != nil {
				return false, err
			}
		default:
			return false, fmt.Errorf("a filter of type %T: %w", config, ErrUnsupported)
		}
	}
	return false, nil
}

// httpFilter returns the configuration of a filter, nil if its matcher skips it.
func httpFilter(filter *hcm.HttpFilter, p peer) (any, error) {
	config, err := unpack(filter.GetTypedConfig(), filter.GetName())
	if err != nil {
		return nil, err
	}
	wrapped, ok := config.(*matching.ExtensionWithMatcher)
	if !ok {
		return config, nil
	}
	if wrapped.GetMatcher() != nil { //nolint:staticcheck // deprecated, but still evaluated
		return nil, fmt.Errorf("filter %q: a matcher of the older form: %w", filter.GetName(), ErrUnsupported)
	}
	action, err := decide(wrapped.GetXdsMatcher(), p)
	if err != nil {
		return nil, err
	}
	switch action.(type) {
	case nil:
		return unpack(wrapped.GetExtensionConfig().GetTypedConfig(), filter.GetName())
	case *skip.SkipFilter:
		return nil, nil
	default:
		return nil, fmt.Errorf("filter %q: an action of type %T: %w", filter.GetName(), action, ErrUnsupported)
	}
}

func (f *Filters) addFault(name string, config *fault.HTTPFault, own *anypb.Any, r Request) error {
	if own != nil {
		config = &fault.HTTPFault{}
		if err := own.UnmarshalTo(config); err != nil {
			return err
		}
	}
	matches, err := allOf(config.GetHeaders(), func(m *route.HeaderMatcher) (bool, error) { return matchHeader(m, r.header) })
	if err != nil || !matches {
		return err
	}
	if abort := config.GetAbort(); abort != nil {
		f.Faults = append(f.Faults, Fault{Name: name, Share: percentage(abort.GetPercentage(), false), Status: int(abort.GetHttpStatus())})
	}
	if delay := config.GetDelay(); delay != nil {
		f.Faults = append(f.Faults, Fault{Name: name, Share: percentage(delay.GetPercentage(), false), Delay: delay.GetFixedDelay().AsDuration()})
	}
	if slow := config.GetResponseRateLimit(); slow != nil {
		kbps := slow.GetFixedLimit().GetLimitKbps()
		f.Faults = append(f.Faults, Fault{
			Name: name, Share: percentage(slow.GetPercentage(), false),
			Kbps: int(kbps),
		}) //nolint:gosec // far below
	}
	return nil
}

func (f *Filters) addLimit(config *limit.LocalRateLimit, own *anypb.Any) error {
	if own != nil {
		config = &limit.LocalRateLimit{}
		if err := own.UnmarshalTo(config); err != nil {
			return err
		}
	}
	if len(config.GetDescriptors()) > 0 {
		return fmt.Errorf("a rate limit with descriptors: %w", ErrUnsupported)
	}
	enabled := percentage(config.GetFilterEnabled().GetDefaultValue(), false)
	enforced := percentage(config.GetFilterEnforced().GetDefaultValue(), false)
	share := new(big.Rat).Mul(enabled, enforced)
	if config.GetTokenBucket() == nil || share.Sign() == 0 {
		return nil
	}
	f.Requests = &Limit{
		Tokens:   int(config.GetTokenBucket().GetMaxTokens()),
		Interval: config.GetTokenBucket().GetFillInterval().AsDuration(),
		Status:   cmp.Or(int(config.GetStatus().GetCode()), http.StatusTooManyRequests),
		Enforced: share,
	}
	return nil
}
