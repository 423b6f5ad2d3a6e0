package kinds_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

func TestMisspelled(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"MeshTimout": "MeshTimeout", "meshtimeout": "MeshTimeout", "MeshServcie": "MeshService", "Dataplan": "Dataplane", "mesh": "Mesh", "Messh": "Mesh",
		"MeshHTPRoute": "MeshHTTPRoute", "MeshTLSs": "MeshTLS",
		"Mesh": "", "MeshTimeout": "", "": "",
		// Kinds that a control plane 2.14 lists but this package does not
		// describe, and kinds of other products and of Kubernetes.
		"CircuitBreaker": "", "DataplaneInsight": "", "ExternalService": "", "FaultInjection": "", "HealthCheck": "", "MeshInsight": "",
		"ProxyTemplate": "", "RateLimit": "", "Retry": "", "ServiceInsight": "", "Timeout": "", "TrafficLog": "", "TrafficPermission": "",
		"TrafficRoute": "", "TrafficTrace": "", "VirtualOutbound": "", "ZoneEgressInsight": "", "ZoneIngressInsight": "", "ZoneInsight": "",
		"MeshGatewayRoute": "", "MeshGatewayInstance": "", "MeshOPA": "", "MeshGlobalRateLimit": "", "AccessRole": "",
		"Service": "", "Deployment": "", "Node": "", "Pod": "", "Job": "", "Namespace": "", "ConfigMap": "",
	} {
		got, ok := kinds.Misspelled(name)
		if got != want || ok != (want != "") {
			t.Errorf("Misspelled(%q) = %q, %t, want %q", name, got, ok, want)
		}
	}
}
