package randomworld

import (
	"fmt"
	"slices"
	"strings"
)

// older are the confs that resources of older kinds have, by kind.
var older = map[string][]string{
	"TrafficPermission": {``},
	"Timeout": {
		`conf: {connectTimeout: 7s, http: {requestTimeout: 9s}}`, `conf: {tcp: {idleTimeout: 11s}}`,
		`conf: {http: {requestTimeout: 8s, streamIdleTimeout: 13s}}`,
	},
	"Retry": {
		`conf: {http: {numRetries: 4, perTryTimeout: 2s, retriableStatusCodes: [500, 503]}}`,
		`conf: {http: {numRetries: 2}, tcp: {maxConnectAttempts: 3}}`,
		`conf: {http: {numRetries: 3, backOff: {baseInterval: 30ms, maxInterval: 1s}, retryOn: [all_5xx, retriable_status_codes],
			retriableStatusCodes: [404], retriableMethods: [GET]}, grpc: {numRetries: 5, retryOn: [unavailable, internal]}}`,
	},
	"CircuitBreaker": {
		`conf: {thresholds: {maxConnections: 7, maxRetries: 4}}`,
		`conf: {thresholds: {maxPendingRequests: 8}, detectors: {totalErrors: {}, standardDeviation: {factor: 1.9}}}`,
		`conf: {interval: 5s, baseEjectionTime: 20s, splitExternalAndLocalErrors: true,
			detectors: {gatewayErrors: {consecutive: 3}, localErrors: {}, standardDeviation: {factor: 1.1}, failure: {threshold: 70}}}`,
	},
	"HealthCheck": {
		`conf: {interval: 10s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1}`,
		`conf: {interval: 8s, timeout: 3s, unhealthyThreshold: 2, healthyThreshold: 2, http: {path: /ok, expectedStatuses: [200, 201]}}`,
	},
	"TrafficLog": {`conf: {backend: file}`, `conf: {backend: tcp}`, ``},
	"FaultInjection": {
		`conf: {abort: {httpStatus: 500, percentage: 10}}`,
		`conf: {delay: {percentage: 2.5, value: 2s}, responseBandwidth: {limit: 5000kbps, percentage: 50}}`,
	},
	"RateLimit": {
		`conf: {http: {requests: 5, interval: 10s}}`,
		`conf: {http: {requests: 9, interval: 10s, onRateLimit: {status: 423, headers: [{key: x, value: y, append: true}]}}}`,
	},
	"TrafficTrace": {`conf: {backend: zipkin}`},
}

// Older generates the documents of a world of resources of the kinds that Kuma 3.0 removed, with Dataplanes that they
// select and no policies. ProxyTemplates are not in the answers that such worlds are compared by.
func Older(seed uint64, o Options) (documents string) {
	w := newWorld(seed, 0, o)
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, "---\n"+format+"\n", args...) }
	add(`{type: Mesh, name: %s, skipCreatingInitialPolicies: ["*"], %s
		logging: {defaultBackend: file, backends: [
			{name: file, type: file, format: "%%START_TIME%% %%KUMA_SOURCE_SERVICE%%", conf: {path: /tmp/a.log}},
			{name: tcp, type: tcp, conf: {address: "10.7.0.9:5000"}}]},
		tracing: {backends: [{name: zipkin, type: zipkin, sampling: 50, conf: {url: "http://z:9411/api/v2/spans"}}]}}`,
		o.Mesh, pick(w, "", "mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]},"))
	protocols := map[string]string{"web": "http", "api": "http", "db": "tcp", "feed": "grpc", "mail": "http2"}
	names := []string{"web", "api", "db", "feed", "mail"}
	names = names[:3+w.IntN(3)]
	for i, service := range names {
		for v := 1; v <= 1+w.IntN(2); v++ {
			outbounds := []string{}
			for j, to := range names {
				outbounds = append(outbounds, fmt.Sprintf("{port: %d, tags: {kuma.io/service: %s}}", 10001+j, to))
			}
			add(`{type: Dataplane, mesh: %s, name: %s-%d, networking: {address: 10.0.%d.%d,
				inbound: [{port: 80, tags: {kuma.io/service: %s, kuma.io/protocol: %s, version: "%d"}}], outbound: [%s]}}`,
				o.Mesh, service, v, i, v, service, protocols[service], v, strings.Join(outbounds, ", "))
		}
	}
	if !w.one(5) {
		add(`{type: TrafficRoute, mesh: %s, name: all, sources: [{match: {kuma.io/service: "*"}}],
			destinations: [{match: {kuma.io/service: "*"}}],
			conf: {loadBalancer: {roundRobin: {}}, destination: {kuma.io/service: "*"}}}`, o.Mesh)
	}
	selector := func(versions bool) string {
		service := pick(w, append(slices.Clone(names), "*", "*")...)
		if versions && w.one(3) {
			return fmt.Sprintf(`[{match: {kuma.io/service: "%s", version: "%d"}}]`, service, 1+w.IntN(2))
		}
		return fmt.Sprintf(`[{match: {kuma.io/service: "%s"}}]`, service)
	}
	kinds := []string{
		"TrafficPermission", "Timeout", "Retry", "CircuitBreaker", "HealthCheck", "TrafficLog", "FaultInjection", "RateLimit",
		"TrafficTrace",
	}
	for _, kind := range kinds {
		for n := range w.IntN(3) {
			name := pick(w, "a", "m", "z") + fmt.Sprint(n)
			conf := pick(w, older[kind]...)
			switch kind {
			case "TrafficTrace":
				add(`{type: %s, mesh: %s, name: %s, selectors: %s, %s}`, kind, o.Mesh, name, selector(true), conf)
			case "FaultInjection":
				add(`{type: %s, mesh: %s, name: %s, sources: %s, destinations: [{match: {kuma.io/service: %s, kuma.io/protocol: http}}], %s}`, kind,
					o.Mesh, name, selector(true), pick(w, "web", "api"), conf)
			default:
				incoming := kind == "TrafficPermission" || kind == "RateLimit"
				add(`{type: %s, mesh: %s, name: %s, sources: %s, destinations: %s, %s}`, kind, o.Mesh, name, selector(true), selector(incoming), conf)
			}
		}
	}
	return b.String()
}
