package upgrade

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// number returns a number of a document.
func number(n int) any { return json.Number(fmt.Sprint(n)) }

// fields copies fields of an older conf.
func fields(conf tree.Node, names ...string) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		if v := conf.Get(name); v.Known() {
			out[name] = tree.Clone(v.Value())
		}
	}
	return out
}

// or returns a value of a document, or another one if it is missing.
func or(n tree.Node, value any) any {
	if n.Known() {
		return n.Value()
	}
	return value
}

// unknownProtocol is the protocol of a service of which an inbound has none.
const (
	unknownProtocol = "unknown"
	hasNoEffect     = " has no effect on a service with kafka or without a protocol. " +
		"Set the tag kuma.io/protocol of its inbounds to tcp first."
)

// olderTimeout returns the timeouts that proxies use beside a TrafficRoute: they ignore connectTimeout
// and, for HTTP/1.1 and HTTP/2, idleTimeout and maxStreamDuration (proxies.md §6).
func olderTimeout(_ kuma.Resource, conf tree.Node, protocol string) (map[string]any, string) {
	http, grpc := conf.Get("http"), conf.Get("grpc") // the latter is deprecated
	streamIdle := or(http.Get("streamIdleTimeout"), "0s")
	if protocol == "grpc" {
		streamIdle = or(http.Get("streamIdleTimeout"), or(grpc.Get("streamIdleTimeout"), "0s"))
		idle := duration(http.Get("idleTimeout"))
		if idle != 0 && idle != envoyIdleTimeout || duration(http.Get("maxStreamDuration")) != 0 || duration(grpc.Get("maxStreamDuration")) != 0 {
			return nil, "It limits the time of gRPC connections or streams, which a MeshTimeout cannot."
		}
	}
	settings := map[string]any{"connectionTimeout": "5s", "idleTimeout": "1h", "http": map[string]any{
		"requestTimeout": or(http.Get("requestTimeout"), "0s"), "streamIdleTimeout": streamIdle,
	}}
	if !slices.Contains([]string{"http", "http2", "grpc", ""}, protocol) {
		settings["idleTimeout"] = or(conf.Get("tcp", "idleTimeout"), "0s")
	}
	return settings, ""
}

// envoyIdleTimeout closes gRPC connections that are idle, unless a Timeout or a TrafficRoute says otherwise.
const envoyIdleTimeout = time.Hour

// duration returns the duration in a document; zero if it is missing.
func duration(n tree.Node) time.Duration {
	text, _ := n.Text()
	d, _ := time.ParseDuration(text)
	return d
}

// retryConditions maps the conditions of a Retry to the conditions of a MeshRetry.
var retryConditions = map[string]string{
	"all_5xx": "5xx", "gateway_error": "GatewayError", "reset": "Reset", "connect_failure": "ConnectFailure",
	"envoy_ratelimited": "EnvoyRatelimited",
	"retriable_4xx":     "Retriable4xx", "refused_stream": "RefusedStream", "http3_post_connect_failure": "Http3PostConnectFailure",
	"deadline_exceeded": "DeadlineExceeded", "internal": "Internal", "resource_exhausted": "ResourceExhausted", "unavailable": "Unavailable",
}

func olderRetry(_ kuma.Resource, conf tree.Node, protocol string) (map[string]any, string) {
	settings := map[string]any{}
	for _, section := range []string{"http", "grpc"} {
		if of := strings.TrimSuffix(protocol, "2"); of != "" && of != section {
			continue
		}
		found, why := retries(conf.Get(section))
		if why != "" {
			return nil, why
		}
		settings[section] = found
	}
	if (protocol == unknownProtocol || protocol == "kafka") && conf.Get("tcp", "maxConnectAttempts").Known() {
		return nil, "On 2.14, a MeshRetry" + hasNoEffect
	}
	if protocol == "" || len(settings) == 0 {
		settings["tcp"] = map[string]any{"maxConnectAttempt": or(conf.Get("tcp", "maxConnectAttempts"), number(1))}
	}
	return settings, ""
}

// retries returns a section of a MeshRetry: none without the section of the Retry.
func retries(conf tree.Node) (settings map[string]any, why string) {
	if !conf.Known() {
		return map[string]any{"numRetries": number(0)}, ""
	}
	settings = fields(conf, "numRetries", "perTryTimeout", "backOff")
	var conditions []any
	codes := phrase.Each(conf.Get("retriableStatusCodes").Items(), func(code tree.Node) any { return fmt.Sprint(code.Value()) })
	byCode := false
	for _, on := range conf.Get("retryOn").Items() {
		name, _ := on.Text()
		condition, ok := retryConditions[name]
		switch {
		case ok:
			conditions = append(conditions, condition)
		case name == "retriable_status_codes":
			byCode = true
		default:
			return nil, "A MeshRetry has no condition " + name + "."
		}
	}
	if given := len(conf.Get("retryOn").Items()) > 0; given && len(conditions) == 0 {
		return nil, "A MeshRetry with only status codes also retries failed connections."
	} else if byCode || !given {
		conditions = append(conditions, codes...)
	}
	for _, method := range conf.Get("retriableMethods").Items() {
		if name, _ := method.Text(); name != "NONE" {
			conditions = append(conditions, "HttpMethod"+name[:1]+strings.ToLower(name[1:]))
		}
	}
	if conditions != nil {
		settings["retryOn"] = conditions
	}
	return settings, ""
}

// absentRetry returns the defaults of Envoy.
func absentRetry(settings map[string]any, field tree.Path, value any) (any, bool) {
	section, _ := field[0].(string)
	retries := tree.Object(settings[section])
	if retries == nil || tree.Equal(retries["numRetries"], number(0)) { // of another protocol, or none
		return value, true
	}
	base := cmp.Or(duration(tree.Root(retries).Get("backOff", "baseInterval")), 25*time.Millisecond)
	v, ok := map[string]any{
		"numRetries": number(1), "perTryTimeout": "0s", "backOff.baseInterval": base.String(), "backOff.maxInterval": (10 * base).String(),
	}[field[1:].String()]
	if !ok && field.String() == "http.retryOn" {
		return []any{"GatewayError", "ConnectFailure", "RefusedStream"}, true
	}
	return v, ok
}

// detectors are the detectors of a CircuitBreaker with the ones of a MeshCircuitBreaker that replace them, and whether they count
// consecutive errors.
var detectors = []struct {
	older, name string
	consecutive bool
}{
	{"totalErrors", "totalFailures", true},
	{"gatewayErrors", "gatewayFailures", true},
	{"localErrors", "localOriginFailures", true},
	{"standardDeviation", "successRate", false},
	{"failure", "failurePercentage", false},
}

func olderCircuitBreaker(_ kuma.Resource, conf tree.Node, _ string) (map[string]any, string) {
	settings := map[string]any{}
	if limits := conf.Get("thresholds"); limits.Filled() {
		settings["connectionLimits"] = tree.Clone(limits.Value())
	}
	found := map[string]any{}
	for _, d := range detectors {
		older := conf.Get("detectors", d.older)
		if !older.Known() {
			continue
		}
		detector := fields(older, "consecutive", "requestVolume", "minimumHosts", "threshold")
		if d.consecutive && len(detector) == 0 {
			detector["consecutive"] = number(5) // the default of Envoy; without it a MeshCircuitBreaker does not detect
		}
		if factor := older.Get("factor"); factor.Known() {
			detector["standardDeviationFactor"] = fmt.Sprint(factor.Value())
		}
		found[d.name] = detector
	}
	if conf.Get("splitExternalAndLocalErrors").True() && found["successRate"] == nil {
		return nil,
			"It counts local errors apart, and Envoy then also detects hosts with a low rate of local success, which a MeshCircuitBreaker without " +
				"successRate disables."
	}
	if len(found) > 0 {
		outliers := fields(conf, "interval", "baseEjectionTime", "maxEjectionPercent", "splitExternalAndLocalErrors")
		outliers["detectors"] = found
		settings["outlierDetection"] = outliers
	}
	return settings, ""
}

// absentCircuitBreaker returns the defaults of Envoy. Fields of a disabled detection have no effect.
func absentCircuitBreaker(settings map[string]any, field tree.Path, value any) (any, bool) {
	outliers := tree.Object(settings["outlierDetection"])
	if field[0] == "outlierDetection" && (outliers == nil || outliers["disabled"] == true) {
		setAt(settings, tree.Path{"outlierDetection", "disabled"}, true)
		if field.String() == "outlierDetection.disabled" {
			return true, true
		}
		return value, true
	}
	defaults := map[string]any{
		"connectionLimits.maxConnections": number(1024), "connectionLimits.maxPendingRequests": number(1024),
		"connectionLimits.maxRequests": number(1024), "connectionLimits.maxRetries": number(3),
		"outlierDetection.interval": "10s", "outlierDetection.baseEjectionTime": "30s", "outlierDetection.maxEjectionPercent": number(10),
		"outlierDetection.splitExternalAndLocalErrors": false, "outlierDetection.disabled": false,
	}
	v, ok := defaults[field.String()]
	return v, ok
}

// olderHealthCheck returns the checks of a HealthCheck. One without http makes TCP checks, also of
// services with other protocols, and one with http makes HTTP checks of all services.
func olderHealthCheck(_ kuma.Resource, conf tree.Node, protocol string) (map[string]any, string) {
	settings := tree.Object(tree.Clone(conf.Value()))
	web := slices.Contains([]string{"http", "http2"}, protocol)
	switch {
	case protocol == unknownProtocol, protocol == "kafka":
		return nil, "On 2.14, a MeshHealthCheck" + hasNoEffect
	case protocol == "grpc":
		return nil, "A MeshHealthCheck only makes gRPC checks of gRPC services."
	case conf.Get("tcp", "send").Known() || conf.Get("tcp", "receive").Known():
		return nil, "It sends or expects bytes, which a MeshHealthCheck encodes in another way."
	case !conf.Get("http").Known():
		settings["tcp"], settings["http"] = map[string]any{}, map[string]any{"disabled": true}
	case protocol != "" && !web:
		return nil, "It makes HTTP checks of a service whose protocol is not HTTP, which a MeshHealthCheck does not."
	default:
		http := tree.Object(settings["http"])
		headers := headerChanges(conf.Get("http", "requestHeadersToAdd").Items(), true, "header")
		delete(http, "requestHeadersToAdd")
		if len(headers) > 0 {
			http["requestHeadersToAdd"] = headers
		}
	}
	return settings, ""
}

// headerChanges returns headers to set and to add for a list, with the name and value at a path in its elements. added is what one
// without append means.
func headerChanges(list []tree.Node, added bool, path ...string) map[string]any {
	changes := map[string]any{}
	for _, h := range list {
		to := "set"
		if v := h.Get("append"); v.True() || added && !v.Known() {
			to = "add"
		}
		name, _ := h.Get(path...).Get("key").Text()
		changes[to] = append(tree.List(changes[to]), map[string]any{"name": strings.ToLower(name), "value": h.Get(path...).Get("value").Value()})
	}
	return changes
}

// absentHealthCheck says that fields of checks that are not made have no effect.
func absentHealthCheck(settings map[string]any, field tree.Path, value any) (any, bool) {
	disabled := tree.Object(settings["http"])["disabled"] == true
	switch {
	case field.String() == "http.disabled":
		return false, true
	case field[0] == "tcp", field[0] == "http" && disabled:
		return value, true
	}
	return nil, false
}

// olderLog returns the backend of the Mesh that a TrafficLog names.
func olderLog(mesh kuma.Resource, conf tree.Node, _ string) (map[string]any, string) {
	name, ok := conf.Get("backend").Text()
	if !ok {
		name, _ = tree.Root(mesh.Body).Get("logging", "defaultBackend").Text()
	}
	backend, why := logBackend(backendOf(mesh, "logging", name))
	if backend == nil {
		return nil, why
	}
	return map[string]any{"backends": []any{backend}}, ""
}

// logBackend returns the backend of a MeshAccessLog for one of a Mesh.
func logBackend(backend tree.Node) (found map[string]any, why string) {
	kind, _ := backend.Get("type").Text()
	name, known := map[string]string{"file": "File", "tcp": "Tcp"}[kind]
	settings := tree.Object(tree.Clone(backend.Get("conf").Value()))
	if !known || settings == nil {
		return nil, "The Mesh has no logging backend of type file or tcp with its name."
	}
	if format, _ := backend.Get("format").Text(); format != "" {
		settings["format"] = map[string]any{"type": "Plain", "plain": format}
	}
	return map[string]any{"type": name, kind: settings}, ""
}

// traceBackend returns the settings of a MeshTrace for a backend of a Mesh.
func traceBackend(backend tree.Node) (settings map[string]any, why string) {
	conf := backend.Get("conf")
	settings = map[string]any{}
	switch kind, _ := backend.Get("type").Text(); kind {
	case "zipkin":
		if version, _ := conf.Get("apiVersion").Text(); version == "httpJsonV1" {
			return nil, "A MeshTrace does not have the format httpJsonV1."
		}
		settings["backends"] = []any{map[string]any{"type": "Zipkin", "zipkin": tree.Clone(conf.Value())}}
	case "datadog":
		address, _ := conf.Get("address").Text()
		port, _ := conf.Get("port").Int()
		datadog := map[string]any{"url": "http://" + net.JoinHostPort(address, fmt.Sprint(port))}
		if conf.Get("splitService").True() {
			datadog["splitService"] = true
		}
		settings["backends"] = []any{map[string]any{"type": "Datadog", "datadog": datadog}}
	default:
		return nil, "The Mesh has no tracing backend of type zipkin or datadog with its name."
	}
	if share, ok := backend.Get("sampling").Value().(json.Number); ok {
		settings["sampling"] = map[string]any{"overall": any(share)}
		if strings.Contains(share.String(), ".") {
			settings["sampling"] = map[string]any{"overall": share.String()}
		}
	}
	return settings, ""
}
