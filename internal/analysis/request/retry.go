package request

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const methodCondition = "HttpMethod"

// retry returns the retries of a request, nil if it is not repeated, and whether others are.
func (l leaves) retry(protocol string, r Request) (retry *Retry, others bool) {
	by := l.setter(protocol)
	attempts := l.int(protocol+numRetries, retries)
	if by == (kuma.Key{}) || attempts == 0 {
		return nil, false
	}
	for _, field := range []string{numRetries, retryOn, perTryTimeout, baseInterval} {
		if leaf, ok := l[protocol+field]; ok {
			by = leaf.SetBy.ResourceMeta.Key()
			break
		}
	}
	out := &Retry{Attempts: attempts, By: by}
	out.PerTry = l.timeout(protocol+perTryTimeout, nil).Duration
	out.Base = l.timeout(protocol+baseInterval, table{protocol + baseInterval: backOff}).Duration
	out.Max = l.timeout(protocol+maxInterval, table{protocol + maxInterval: backOffs * out.Base}).Duration
	out.From = RetryOrigins{
		l.origin(protocol+numRetries, OfProxy), OfControlPlane, l.origin(protocol+perTryTimeout, OfProxy),
		l.origin(protocol+baseInterval, OfProxy), l.origin(protocol+maxInterval, OfProxy),
	}
	conditions := tree.Strings(l[protocol+retryOn].Value)
	methods := slices.DeleteFunc(slices.Clone(conditions), func(c string) bool { return !strings.HasPrefix(c, methodCondition) })
	if len(methods) > 0 && !slices.ContainsFunc(methods, func(c string) bool { return strings.EqualFold(c, methodCondition+r.Method) }) {
		return nil, true
	}
	named := false // not only methods and status codes, beside which the default conditions apply
	for _, c := range conditions {
		if strings.HasPrefix(c, methodCondition) {
			continue
		}
		_, err := strconv.Atoi(c)
		named = named || err != nil
		out.On = append(out.On, cmp.Or(conditionNames[c], c))
	}
	if len(out.On) > 0 {
		out.From.On = l.origin(protocol+retryOn, OfControlPlane)
	}
	if !named {
		out.On = append(slices.Clone(defaultConditions[protocol]), out.On...)
	}
	return out, true
}

// noRetryOfProtocol is why requests and connections of other protocols are not repeated.
const noRetryOfProtocol = "the control plane sets none for this protocol"

// whyNoRetry returns why a request is not repeated, as a clause.
func (l leaves) whyNoRetry(protocol string) string {
	field, none := protocol+numRetries, 0
	if protocol == protocolTCP {
		field, none = maxConnectAttempt, connectAttempts
	}
	leaf, set := l[field]
	switch by := l.setter(protocol); {
	case by == (kuma.Key{}):
		return "no MeshRetry applies"
	case set && l.int(field, 0) <= none:
		return fmt.Sprintf("%s sets %s to %v", leaf.SetBy.ResourceMeta.Key().Local(), field, leaf.Value)
	default:
		return by.Local() + " repeats other methods only"
	}
}

// tcpRetry returns the retries of a connection, nil if there are none.
func (l leaves) tcpRetry() *Retry {
	attempts := l.int(maxConnectAttempt, connectAttempts)
	if attempts <= 1 {
		return nil
	}
	return &Retry{
		Attempts: attempts - 1, By: l[maxConnectAttempt].SetBy.ResourceMeta.Key(),
		From: RetryOrigins{Attempts: l.origin(maxConnectAttempt, OfProxy)},
	}
}

// setter returns the policy of the first setting for a protocol, if there is one.
func (l leaves) setter(protocol string) kuma.Key {
	for _, path := range slices.Sorted(maps.Keys(l)) {
		if strings.HasPrefix(path, protocol+".") {
			return l[path].SetBy.ResourceMeta.Key()
		}
	}
	return kuma.Key{}
}

// conditionNames are Envoy's names of the conditions on which requests are repeated. Those that
// are missing are the same, or status codes. A control plane translates Canceled to a name that
// Envoy does not have (matching.md §17.4).
var conditionNames = map[string]string{
	"GatewayError": "gateway-error", "Reset": "reset", "Retriable4xx": "retriable-4xx", "ConnectFailure": "connect-failure",
	"EnvoyRatelimited": "envoy-ratelimited",
	"RefusedStream":    "refused-stream", "Http3PostConnectFailure": "http3-post-connect-failure",
	"Canceled": "canceled", "DeadlineExceeded": "deadline-exceeded", "Internal": "internal", "ResourceExhausted": "resource-exhausted",
	"Unavailable": "unavailable",
}
