package kinds

// ProxyDefaults are the values that proxies have if policies of a kind set an object of the conf, but not the field: as JSON, by kind and
// path in the conf (measured on 2.14.3 and the preview of 3.0).
var ProxyDefaults = map[string]map[string]string{
	MeshCircuitBreaker.Name: {
		"connectionLimits.maxConnections": "1024", "connectionLimits.maxPendingRequests": "1024", "connectionLimits.maxRequests": "1024",
		"connectionLimits.maxRetries": "3", "connectionLimits": "{}",
		"outlierDetection.interval": `"10s"`, "outlierDetection.baseEjectionTime": `"30s"`, "outlierDetection.maxEjectionPercent": "10",
		"outlierDetection.disabled": "false",
	},
	MeshHealthCheck.Name: {
		"interval": `"1m0s"`, "timeout": `"15s"`, "unhealthyThreshold": "5", "healthyThreshold": "1", "alwaysLogHealthCheckFailures": "false",
		"http.path": `"/"`, "http.disabled": "false", "tcp.disabled": "false", "grpc.disabled": "false",
	},
	MeshLoadBalancingStrategy.Name: {"loadBalancer.ringHash.hashFunction": `"XXHash"`},
	MeshRateLimit.Name: {
		"local.http.disabled": "false", "local.tcp.disabled": "false", "local.http.onRateLimit.headers.set": "[]",
	},
	MeshRetry.Name: {"http.retryOn": `["GatewayError","ConnectFailure","RefusedStream"]`},
}
