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
		ID: "K3-010", Effect: Breaks, Unannounced: true, Undeclared: true, Paths: at("spec.rules", kinds.MeshRateLimit.Name), When: func(n tree.Node) bool { return onTop(kuma.KindMesh)(n) && n.Filled() },
		Doc: "The rules apply to the whole mesh. In Kuma 3.0 that includes gateways, for which it rejects rules. A stored policy keeps working.",
		Do:  "Select kind Dataplane. Without labels it selects all Dataplanes, including delegated gateways.",
	},
	{
		ID: "K3-011", Effect: Breaks, Undeclared: true, Paths: at("spec.to", kinds.MeshFaultInjection.Name, kinds.MeshRateLimit.Name),
		When: func(n tree.Node) bool {
			top := policy.TopKind(n.Root().Get("spec"))
			return n.Filled() && top != "" && top != kuma.KindMesh
		},
		Doc: "The policy has entries in \"to\", but does not apply to the whole mesh. Kuma 3.0 rejects that.",
		Do:  "Select kind Mesh, which applies to more proxies, or remove \"to\".",
	},
	{
		ID: "K3-030", Effect: Breaks, Paths: at("spec.from", fromAsRules...), When: func(n tree.Node) bool { return n.Root().Get("spec", "to").Empty() },
		Doc: "All settings are in \"from\", which Kuma 3.0 does not read. It rejects the policy as empty, and a stored one configures no incoming traffic.",
		Do:  "For kind Mesh, each entry becomes {default: …}.",
	},
	{
		ID: "K3-031", Effect: Changes, Paths: at("spec.from", fromAsRules...), When: func(n tree.Node) bool { return n.Root().Get("spec", "to").Filled() },
		Doc: "Kuma 3.0 silently drops \"from\", and only \"to\" remains.",
		Do:  "Split the policy in two, one with \"rules\" and one with \"to\": a policy with both is rejected.",
	},
	{
		ID: "K3-032", Effect: Changes, Danger: Security, Paths: at("spec.from", kinds.MeshTLS.Name),
		Doc: "The settings are in \"from\", which Kuma 3.0 silently drops: mode, versions and ciphers fall back to the defaults, and proxies with an identity are strict.",
		Do:  "For kind Mesh, each entry becomes {default: …}.",
	},
	{
		ID: "K3-033", Effect: Breaks, Danger: Security, Paths: at("spec.from", kinds.MeshTrafficPermission.Name),
		Doc: "The clients are in \"from\". Kuma 3.0 rejects the policy, and a stored one neither allows nor denies anything: unless another policy has rules, proxies with an identity deny all clients, and a Deny no longer applies.",
		Do:  "The action Allow becomes allow, Deny becomes deny, AllowWithShadowDeny becomes allowWithShadowDeny. Kind Mesh becomes type Prefix with the trust domain of the MeshIdentity, and tags must become part of the path of the SPIFFE ID. This requires a MeshIdentity.",
	},
	{
		ID: "K3-034", Effect: Changes, Paths: at("spec.from", kinds.MeshFaultInjection.Name),
		Doc: "The faults are in \"from\", which Kuma 3.0 silently drops: no fault is injected.",
		Do:  "Omit the matches for kind Mesh.",
	},
}
