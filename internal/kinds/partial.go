package kinds

import "github.com/kuma-universal/terraform-provider-kuma/internal/spec"

// partial returns the kinds of which only what matching needs is described so
// far. Describing one in full means to move it from here into its own file.
func partial() []spec.Kind {
	policy := func(name, path, short string, p spec.Policy) spec.Kind {
		return spec.Kind{Name: name, Path: path, ShortName: short, ZoneOwned: true, GlobalOwned: true, Partial: true, Policy: &p}
	}
	return []spec.Kind{
		policy("MeshLoadBalancingStrategy", "meshloadbalancingstrategies", "mlbs", spec.Policy{Order: 400, To: true}),
		policy("MeshAccessLog", "meshaccesslogs", "mal", spec.Policy{Order: 600, To: true, From: true, Rules: true, FromAsRules: true}),
		policy("MeshFaultInjection", "meshfaultinjections", "mfi", spec.Policy{Order: 800, To: true, From: true, Rules: true}),
		policy("MeshRateLimit", "meshratelimits", "mrl", spec.Policy{Order: 900, To: true, From: true, Rules: true, FromAsRules: true}),
		policy("MeshHealthCheck", "meshhealthchecks", "mhc", spec.Policy{Order: 1200, To: true}),
		policy("MeshCircuitBreaker", "meshcircuitbreakers", "mcb", spec.Policy{Order: 1300, To: true, From: true, Rules: true, FromAsRules: true}),
		policy("MeshRetry", "meshretries", "mr", spec.Policy{Order: 1400, To: true}),

		{Name: "MeshExternalService", Path: "meshexternalservices", ShortName: "extsvc", ZoneOwned: true, GlobalOwned: true, Status: true, Partial: true},
		{Name: "MeshMultiZoneService", Path: "meshmultizoneservices", ShortName: "mzsvc", GlobalOwned: true, Status: true, Partial: true},
		{Name: "MeshGateway", Path: "meshgateways", ShortName: "mgw", Flat: true, ZoneOwned: true, GlobalOwned: true, Partial: true},
	}
}
