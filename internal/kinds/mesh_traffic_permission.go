package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshTrafficPermission decides which clients may connect.
var MeshTrafficPermission = def.Kind{
	Name: "MeshTrafficPermission", Path: "meshtrafficpermissions", ShortName: "mtp",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Controls which clients can send traffic to the selected proxies, by the identity of the client. " +
		"Clients that no permission allows are denied. " +
		"It only applies to proxies with an identity, from mutual TLS of the Mesh or from a MeshIdentity, and not to builtin gateways.",
	Use:    "Use it to allow the clients of each service explicitly. Without a permission, proxies with an identity deny all traffic.",
	Policy: &def.Policy{Order: 1100, From: true, Rules: true, Permission: true},
	Fields: def.Object{
		policy.TargetRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		policy.From(policy.DefaultByRule(clientAction), kuma.KindMesh, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		clientRules(),
	},
	Checks: def.Checks(
		policy.SomeEntries("from", "rules"),
		policy.RulesExclude("from"),
		policy.FromOfClientsIsDeprecated("2.12"),
		fromServiceIsDeprecated,
	),
}

// clientAction is the action of an entry of `from` for its clients.
var clientAction = def.Object{
	{
		Name: "action", Type: def.String, Required: true, RequiredByRule: true, OneOf: []string{"Allow", "Deny", "AllowWithShadowDeny"},
		Doc: "Action for the clients. `AllowWithShadowDeny` allows them, but counts and logs them as if they were denied.",
	},
}

// clientRules accept only rules with at least one client.
func clientRules() def.Field {
	someClient := policy.SomeEntries("deny", "allowWithShadowDeny", "allow")
	f := policy.AdditiveRules("2.12", policy.Default(clientLists))
	f.Checks = def.Checks(def.Each(def.BelowAsWhole("default", someClient)).WithDoc(someClient.Doc))
	return f
}

// clientLists are the lists of clients of a rule.
var clientLists = def.Object{
	clients("deny", "denied clients", "Clients that are denied, regardless of the other lists."),
	clients("allowWithShadowDeny", "clients allowed with shadow deny",
		"Clients that are allowed, but counted and logged as if they were denied. Releases before 2.14.7 and 3.0.1 count all other "+
			"clients of the inbound so, too."),
	clients("allow", "allowed clients", "Clients that are allowed."),
}

func clients(name, noun, doc string) def.Field {
	return def.Field{
		Name: name, Type: def.List{Elem: policy.Match}, Elements: policy.Clients(noun), Design: def.Checks(someCondition),
		Checks: def.Checks(def.InKuma3(someCondition).About(def.Stated)),
		Doc:    doc + " An entry must have at least one condition, and all of its conditions must match.",
	}
}

var someCondition = def.Each(policy.SomeCondition)

// fromServiceIsDeprecated warns about clients that are selected as a service.
var fromServiceIsDeprecated = def.Check{Test: func(n tree.Node) []def.Problem {
	var problems []def.Problem
	for _, kind := range n.Find("from[].targetRef.kind") {
		if s, _ := kind.Text(); s == kuma.KindMeshService {
			problems = append(problems,
				def.WarningAt(kind, "MeshService is deprecated here",
					"Selecting clients by kind MeshService is deprecated. Use MeshSubset with the tag kuma.io/service, or \"rules\".").About(
					def.Deprecation))
		}
	}
	return problems
}}
