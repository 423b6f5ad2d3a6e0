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
	ZoneOwned: true, GlobalOwned: true,
	Doc: "Decides by their identity which clients may send traffic to the selected proxies. Clients that no permission lets in are refused. " +
		"It acts only where proxies have an identity, from mutual TLS of the Mesh or from a MeshIdentity, and not on builtin gateways.",
	Policy: &def.Policy{Order: 1100, From: true, Rules: true},
	Fields: def.Object{
		policy.TargetRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		policy.From(policy.DefaultByRule(clientAction), kuma.KindMesh, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		clientRules(),
	},
	Checks: def.Checks(
		policy.SomeEntries("from", "rules"),
		policy.RulesExclude("from"),
		policy.FromIsDeprecated,
		fromServiceIsDeprecated,
	),
}

// clientAction is what an entry of `from` says about its clients.
var clientAction = def.Object{
	{
		Name: "action", Type: def.String, Required: true, RequiredByRule: true, OneOf: []string{"Allow", "Deny", "AllowWithShadowDeny"},
		Doc: "What happens to the clients. `AllowWithShadowDeny` lets them in, and counts and logs them as if they were refused.",
	},
}

// clientRules take rules with a client at least.
func clientRules() def.Field {
	someClient := policy.SomeEntries("deny", "allowWithShadowDeny", "allow")
	each := def.Each(def.BelowAsWhole("default", someClient))
	each.Doc = someClient.Doc
	f := policy.AdditiveRules("2.12", policy.Default(clientLists))
	f.Checks = def.Checks(each)
	return f
}

// clientLists is what a rule says about clients that it names itself.
var clientLists = def.Object{
	clients("deny", "Clients that are refused, whatever the other lists say."),
	clients("allowWithShadowDeny", "Clients that are let in, and counted and logged as if they were refused."),
	clients("allow", "Clients that are let in."),
}

func clients(name, doc string) def.Field {
	return def.Field{
		Name: name, Type: def.List{Elem: policy.Match}, Design: def.Checks(def.Each(policy.SomeCondition)),
		Doc: doc + " An entry needs a condition; with several, all must fit.",
	}
}

// fromServiceIsDeprecated warns of clients that are selected as a service.
var fromServiceIsDeprecated = def.Check{Test: func(n tree.Node) []def.Problem {
	var problems []def.Problem
	for _, entry := range n.Get("from").Items() {
		kind := entry.Get("targetRef", "kind")
		if s, _ := kind.Text(); s == kuma.KindMeshService {
			problems = append(problems, def.WarningAt(kind, "MeshService is deprecated here", "Selecting clients with kind MeshService is deprecated. Use MeshSubset with the tag kuma.io/service, or \"rules\".").About(def.Deprecation))
		}
	}
	return problems
}}
