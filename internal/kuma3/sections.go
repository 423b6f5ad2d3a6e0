package kuma3

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// fromAsRules lists the policies whose entries of `from` become one entry of `rules`
// each.
var fromAsRules = []string{kinds.MeshAccessLog.Name, kinds.MeshCircuitBreaker.Name, kinds.MeshRateLimit.Name, kinds.MeshTimeout.Name}

// sections contains the conditions on the lists of a policy (kuma3.md §3).
var sections = []Condition{
	{
		ID: "K3-010", Effect: Rejects, Undeclared: true, Written: Rejected, Paths: at("spec.rules", kinds.MeshRateLimit.Name),
		MeasuredWrite: true,
		When:          func(n tree.Node) bool { return onTop(kuma.KindMesh)(n) && n.Filled() },
		Doc:           "The rules apply to the whole mesh.",
		Stored:        "A stored policy keeps working, for all proxies.",
		Do:            "Select kind Dataplane, without labels for all Dataplanes.",
	},
	{
		ID: "K3-011", Effect: Changes, Undeclared: true, Written: Rejected,
		Paths: at("spec.to", kinds.MeshFaultInjection.Name, kinds.MeshRateLimit.Name), MeasuredWrite: true,
		When: func(n tree.Node) bool {
			top := policy.TopKind(n.Root().Get("spec"))
			return n.Filled() && top != "" && top != kuma.KindMesh
		},
		Doc:    "The policy has entries in \"to\", but does not apply to the whole mesh.",
		Stored: "In a stored policy, the entries have no effect.",
		Do: "Only builtin gateways use \"to\", also with kind Mesh: delete it with the gateway. For the proxy that takes its place, write " +
			"\"rules\" with kind Dataplane.",
	},
	{
		ID: "K3-030", Effect: Changes, MeasuredWrite: true, Paths: at("spec.from", fromAsRules...),
		When: func(n tree.Node) bool { return n.Root().Get("spec", "to").Empty() }, MeasuredStored: true,
		Doc:    "All settings are in \"from\".",
		Stored: "A stored policy has no settings, and does not affect incoming traffic.",
		Do:     "Each entry becomes {default: …}; entries for kind Mesh can be merged into one.",
	},
	{
		ID: "K3-031", Effect: Changes, Paths: at("spec.from", fromAsRules...),
		When: func(n tree.Node) bool { return n.Root().Get("spec", "to").Filled() }, MeasuredStored: true,
		Doc:    "Settings are in \"from\", beside \"to\".",
		Stored: "Of a stored policy, only \"to\" remains.",
		Do: "Each entry becomes {default: …}. Split the policy in two, one with \"rules\" and one with \"to\": " +
			"most kinds reject both together.",
	},
	{
		ID: "K3-032", Effect: Security, Paths: at("spec.from", kinds.MeshTLS.Name), MeasuredStored: true,
		Doc: "The TLS settings are in \"from\".",
		Stored: "A stored policy has no settings: " +
			"mode, versions and ciphers fall back to the defaults, and proxies with an identity reject plaintext.",
		Do: "Each entry becomes {default: …}.",
	},
	{
		ID: "K3-033", Effect: Outage, Paths: at("spec.from", kinds.MeshTrafficPermission.Name), MeasuredWrite: true, MeasuredStored: true,
		Doc: "The clients are in \"from\".",
		Stored: "A stored policy neither allows nor denies anything: " +
			"unless another policy has rules, proxies with an identity deny all clients, and a Deny no longer applies.",
		Do: "The action Allow becomes allow, Deny becomes deny, AllowWithShadowDeny becomes allowWithShadowDeny. " +
			"Kind Mesh becomes type Prefix with the trust domain of the MeshIdentity, " +
			"and a service the type Exact with its workload in the path: Prefix compares strings, so that /workload/a also allows /workload/ab. " +
			"Every deny takes precedence now, so that \"deny all, allow X\" becomes only \"allow X\". This requires a MeshIdentity. " +
			"Kuma 2.14 before 2.14.5 ignores \"from\" where rules match.",
	},
	{
		ID: "K3-034", Effect: Changes, Paths: at("spec.from", kinds.MeshFaultInjection.Name),
		Doc:    "The faults are in \"from\".",
		Stored: "A stored policy injects no faults.",
		Do:     "Omit the matches for kind Mesh.",
	},
	{
		ID: "K3-208", Effect: Rejects, Undeclared: true, Written: Rejected,
		Paths:  at("spec.rules[].default[][]", kinds.MeshTrafficPermission.Name),
		When:   func(n tree.Node) bool { return tree.IsEmptyObject(n.Value()) },
		Doc:    "A match has no condition, and therefore applies to all clients.",
		Stored: "What proxies do with a stored one is not known.",
		Do:     "Use type Prefix with the trust domain of the clients: spiffe://<trust domain>.",
	},
}
