package proxies_test

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// connectionPolicies returns what an entry of a policy for connections to a destination sets, by kind. Answers about requests do
// not contain it, so only the configuration before and after a change shows what it does.
func (w *meshWorld) connectionPolicies() map[string]func(ref object) object {
	return map[string]func(ref object) object{
		kinds.MeshCircuitBreaker.Name: w.circuitBreakerEntry, kinds.MeshHealthCheck.Name: w.healthCheckEntry,
		kinds.MeshAccessLog.Name: w.accessLogEntry, kinds.MeshLoadBalancingStrategy.Name: w.balancerEntry,
	}
}

// addConnectionPolicies adds one or two of them.
func (w *meshWorld) addConnectionPolicies() {
	names := []string{
		kinds.MeshCircuitBreaker.Name, kinds.MeshHealthCheck.Name, kinds.MeshAccessLog.Name, kinds.MeshLoadBalancingStrategy.Name,
	}
	for i := range 1 + w.IntN(2) {
		kind := pick(&w.world, names...)
		w.add(kind, fmt.Sprintf("of-connections-%d", i), w.spec(w.connectionPolicies()[kind]))
	}
}

func (w *meshWorld) circuitBreakerEntry(ref object) object {
	w.onMesh(ref)
	conf := object{}
	if w.one(2) {
		conf["connectionLimits"] = object{pick(&w.world, "maxConnections", "maxPendingRequests", "maxRetries", "maxRequests"): number(1 + w.IntN(9))}
	}
	if len(conf) == 0 || w.one(2) {
		detection := object{"interval": pick(&w.world, "3s", "7s"), "baseEjectionTime": "9s"}
		if w.one(3) {
			detection["disabled"] = w.one(2)
		}
		detection["detectors"] = pick(&w.world, object{"totalFailures": object{"consecutive": number(5)}},
			object{"gatewayFailures": object{"consecutive": number(3)}}, object{"successRate": object{"minimumHosts": number(2)}},
			object{"failurePercentage": object{"threshold": number(50)}})
		conf["outlierDetection"] = detection
	}
	return object{"default": conf}
}

func (w *meshWorld) healthCheckEntry(ref object) object {
	w.onMesh(ref)
	conf := object{"interval": pick(&w.world, "5s", "1m"), "timeout": "2s"}
	for _, protocol := range []string{"http", "tcp", "grpc"} {
		if w.one(2) {
			conf[protocol] = pick(&w.world, object{}, object{"disabled": true}, object{"disabled": false})
		}
	}
	if w.one(3) {
		conf["healthyPanicThreshold"] = number(w.IntN(60))
	}
	return object{"default": conf}
}

func (w *meshWorld) accessLogEntry(ref object) object {
	w.onMesh(ref)
	backends := []any{object{"type": "File", "file": object{"path": pick(&w.world, "/tmp/a.log", "/tmp/b.log")}}}
	if w.one(3) {
		backends = append(backends, object{"type": "Tcp", "tcp": object{"address": "127.0.0.1:5000"}})
	}
	return object{"default": object{"backends": backends}}
}

func (w *meshWorld) balancerEntry(ref object) object {
	w.onMesh(ref)
	hash := []any{object{"type": "Header", "header": object{"name": pick(&w.world, "x-a", "x-b")}}}
	return object{"default": pick(&w.world,
		object{"loadBalancer": object{"type": "RoundRobin"}},
		object{"loadBalancer": object{"type": "Random"}},
		object{"loadBalancer": object{"type": "LeastRequest", "leastRequest": object{"activeRequestBias": "1.5"}}},
		object{"loadBalancer": object{"type": "RingHash", "ringHash": object{"minRingSize": number(16)}}, "hashPolicies": hash},
		object{"loadBalancer": object{"type": "Maglev"}, "hashPolicies": hash},
	)}
}

// onMesh makes one of three references one to all destinations.
func (w *meshWorld) onMesh(ref object) {
	if w.one(3) {
		clear(ref)
		ref["kind"] = "Mesh"
	}
}
