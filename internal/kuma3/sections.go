package kuma3

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// fromAsRules are the policies whose entries of `from` become `rules` one by one.
var fromAsRules = []string{kinds.MeshAccessLog.Name, kinds.MeshCircuitBreaker.Name, kinds.MeshRateLimit.Name, kinds.MeshTimeout.Name}

// sections are the conditions on the lists of a policy (kuma3.md §4).
var sections = []Condition{
	{
		ID: "K3-010", Effect: Breaks, Unannounced: true, Paths: at("spec.rules", kinds.MeshRateLimit.Name), When: onTop(kuma.KindMesh, tree.Node.Filled),
		Doc: "The rules are for the whole mesh. Kuma 3.0 takes that to include gateways, for which it refuses rules; a stored policy works on.",
		Do:  "Select kind Dataplane, which without labels means all Dataplanes, delegated gateways included.",
	},
	{
		ID: "K3-011", Effect: Breaks, Paths: at("spec.to", kinds.MeshFaultInjection.Name, kinds.MeshRateLimit.Name),
		When: func(n tree.Node) bool {
			top := policy.TopKind(n.Root().Get("spec"))
			return n.Filled() && top != "" && top != kuma.KindMesh
		},
		Doc: "There are entries in \"to\", and the policy is not for the whole mesh. Kuma 3.0 refuses that.",
		Do:  "Select kind Mesh, which applies to more proxies, or drop \"to\".",
	},
	{
		ID: "K3-030", Effect: Breaks, Paths: at("spec.from", fromAsRules...), When: func(n tree.Node) bool { return n.Filled() && n.Root().Get("spec", "to").Empty() },
		Doc: "All settings are in \"from\". Kuma 3.0 does not read it: the policy is refused because nothing is left, and a stored one configures no incoming traffic.",
		Do:  "Write \"rules\" with one entry {default: …} for each entry of \"from\".",
	},
	{
		ID: "K3-031", Effect: Changes, Paths: at("spec.from", fromAsRules...), When: func(n tree.Node) bool { return n.Filled() && n.Root().Get("spec", "to").Filled() },
		Doc: "Kuma 3.0 drops \"from\" without a word, and only \"to\" is left.",
		Do:  "Split the policy in two, one with \"rules\" and one with \"to\": both together are refused.",
	},
	{
		ID: "K3-032", Effect: Changes, Danger: Security, Paths: at("spec.from", kinds.MeshTLS.Name),
		Doc: "The settings are in \"from\", which Kuma 3.0 drops without a word: mode, versions and ciphers are back at its defaults, and proxies with an identity are strict.",
		Do:  "Write \"rules\" with one entry {default: …} for each entry of \"from\".",
	},
	{
		ID: "K3-033", Effect: Breaks, Danger: Security, Paths: at("spec.from", kinds.MeshTrafficPermission.Name),
		Doc: "The clients are in \"from\". Kuma 3.0 refuses the policy, and a stored one neither allows nor denies anything: unless another one has rules, proxies with an identity let nobody in, and a Deny no longer holds.",
		Do: "Write \"rules\" that match spiffeID: the action Allow becomes allow, Deny deny, AllowWithShadowDeny allowWithShadowDeny. Kind Mesh becomes type Prefix with the trust domain of the MeshIdentity, " +
			"and tags must become part of the path of the SPIFFE ID. It needs a MeshIdentity.",
	},
	{
		ID: "K3-034", Effect: Changes, Paths: at("spec.from", kinds.MeshFaultInjection.Name),
		Doc: "The faults are in \"from\", which Kuma 3.0 drops without a word: no fault is injected.",
		Do:  "Write \"rules\" with matches by spiffeID for the clients, and without matches for kind Mesh.",
	},
}
