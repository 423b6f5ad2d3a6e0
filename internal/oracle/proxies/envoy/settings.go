package envoy

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	hcm "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	tcp "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/tcp_proxy/v3"
	upstream "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"
	percent "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"google.golang.org/protobuf/types/known/durationpb"
)

// or returns a duration, or the default of Envoy if it is not set.
func or(d *durationpb.Duration, unset time.Duration) time.Duration {
	if d == nil {
		return unset
	}
	return d.AsDuration()
}

// options are the options of a cluster for HTTP.
const options = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"

// timeoutsOf returns the timeouts that a cluster sets.
func timeoutsOf(c *cluster.Cluster) (Timeouts, error) {
	t := Timeouts{Connect: or(c.GetConnectTimeout(), 5*time.Second), Idle: time.Hour}
	packed := c.GetTypedExtensionProtocolOptions()[options]
	if packed == nil {
		return t, nil
	}
	var http upstream.HttpProtocolOptions
	if err := packed.UnmarshalTo(&http); err != nil {
		return t, err
	}
	common := http.GetCommonHttpProtocolOptions()
	t.Idle = or(common.GetIdleTimeout(), time.Hour)
	t.MaxStream = common.GetMaxStreamDuration().AsDuration()
	t.MaxConnection = common.GetMaxConnectionDuration().AsDuration()
	return t, nil
}

// addRoute adds the timeouts of a route and of its connection manager.
func (t *Timeouts) addRoute(a *route.RouteAction, m *hcm.HttpConnectionManager) {
	t.Request = or(a.GetTimeout(), 15*time.Second)
	t.StreamIdle = or(a.GetIdleTimeout(), or(m.GetStreamIdleTimeout(), 5*time.Minute))
	t.Headers = m.GetRequestHeadersTimeout().AsDuration()
	if d := or(a.GetMaxStreamDuration().GetMaxStreamDuration(), m.GetCommonHttpProtocolOptions().GetMaxStreamDuration().AsDuration()); d > 0 &&
		(t.MaxStream == 0 || d < t.MaxStream) {
		t.MaxStream = d
	}
}

// addTCP replaces the timeouts of HTTP by those of a TCP proxy.
func (t *Timeouts) addTCP(p *tcp.TcpProxy) {
	*t = Timeouts{
		Connect: t.Connect, Idle: or(p.GetIdleTimeout(), time.Hour),
		MaxConnection: p.GetMaxDownstreamConnectionDuration().AsDuration(),
	}
}

// retryFor returns the retry policy for a request, nil if it is not retried.
func retryFor(policy *route.RetryPolicy, r Request) (*Retry, error) {
	if policy.GetRetryOn() == "" {
		return nil, nil
	}
	if headers := policy.GetRetriableRequestHeaders(); len(headers) > 0 {
		ok, err := anyOf(headers, func(m *route.HeaderMatcher) (bool, error) { return matchHeader(m, r.header) })
		if err != nil || !ok {
			return nil, err
		}
	}
	retry := &Retry{Attempts: 1, On: strings.Split(policy.GetRetryOn(), ","), PerTry: policy.GetPerTryTimeout().AsDuration()}
	if n := policy.GetNumRetries(); n != nil {
		retry.Attempts = int(n.GetValue())
	}
	for _, status := range policy.GetRetriableStatusCodes() {
		retry.Statuses = append(retry.Statuses, int(status))
	}
	retry.Base = or(policy.GetRetryBackOff().GetBaseInterval(), 25*time.Millisecond)
	retry.Max = or(policy.GetRetryBackOff().GetMaxInterval(), 10*retry.Base)
	return retry, nil
}

// mirrorsOf returns the mirrors of a route, without hosts.
func mirrorsOf(a *route.RouteAction) ([]Mirror, error) {
	var mirrors []Mirror
	for _, m := range a.GetRequestMirrorPolicies() {
		if m.GetCluster() == "" {
			return nil, fmt.Errorf("a mirror without a cluster: %w", ErrUnsupported)
		}
		mirrors = append(mirrors, Mirror{
			Cluster: m.GetCluster(),
			Share:   percentage(m.GetRuntimeFraction().GetDefaultValue(), m.GetRuntimeFraction() == nil),
		})
	}
	return mirrors, nil
}

// percentage returns a share. A missing one is 0, or 1 if all is set.
func percentage(p *percent.FractionalPercent, all bool) *big.Rat {
	if p == nil {
		if all {
			return big.NewRat(1, 1)
		}
		return new(big.Rat)
	}
	return big.NewRat(min(int64(p.GetNumerator()), denominator(p)), denominator(p))
}

func denominator(p *percent.FractionalPercent) int64 {
	switch p.GetDenominator() {
	case percent.FractionalPercent_TEN_THOUSAND:
		return 10_000
	case percent.FractionalPercent_MILLION:
		return 1_000_000
	default:
		return 100
	}
}
