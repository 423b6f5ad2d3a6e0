package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshTrafficPermission decides which clients may connect.
var MeshTrafficPermission = spec.Kind{
	Name: "MeshTrafficPermission", Path: "meshtrafficpermissions", ShortName: "mtp",
	ZoneOwned: true, GlobalOwned: true,
	Doc: "Decides by their identity which clients may send traffic to the selected proxies. Clients that no permission lets in are refused. " +
		"It acts only where proxies have an identity, from mutual TLS of the Mesh or from a MeshIdentity, and not on builtin gateways.",
	Policy: &spec.Policy{Order: 1100, From: true, Rules: true},
	Fields: spec.Object{
		topRef(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		from(defaultConf(permission), mesh.KindMesh, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		inboundEntries("2.12", defaultConf(permissions, someEntries("deny", "allowWithShadowDeny", "allow"))),
	},
	Checks: spec.Checks(
		someEntries("from", "rules"),
		rulesExclude("from"),
		fromIsDeprecated,
		fromServiceIsDeprecated,
	),
	Readiness: []spec.Condition{permissionsFromClients},
}

var permissionsFromClients = spec.Condition{
	ID: "K3-033", Effect: spec.Breaks, Danger: spec.Security, At: "spec.from",
	Doc: "The clients are in \"from\". Kuma 3.0 refuses the policy, and a stored one neither allows nor denies anything: unless another one has rules, proxies with an identity let nobody in, and a Deny no longer holds.",
	Do: "Write \"rules\" that match spiffeID: the action Allow becomes allow, Deny deny, AllowWithShadowDeny allowWithShadowDeny. Kind Mesh becomes type Prefix with the trust domain of the MeshIdentity, " +
		"and tags must become part of the path of the SPIFFE ID. It needs a MeshIdentity.",
}

// permission is what an entry of `from` says about its clients.
var permission = spec.Object{
	{
		Name: "action", Type: spec.String, Required: true, OneOf: []string{"Allow", "Deny", "AllowWithShadowDeny"},
		Doc: "What happens to the clients. `AllowWithShadowDeny` lets them in, and counts and logs them as if they were refused.",
	},
}

// permissions is what a rule says about clients that it names itself.
var permissions = spec.Object{
	clients("deny", "Clients that are refused, whatever the other lists say."),
	clients("allowWithShadowDeny", "Clients that are let in, and counted and logged as if they were refused."),
	clients("allow", "Clients that are let in."),
}

func clients(name, doc string) spec.Field {
	return spec.Field{
		Name: name, Type: spec.List{Elem: inboundMatch}, Design: spec.Checks(spec.Each(someCondition)),
		Doc: doc + " An entry needs a condition; with several, all must fit.",
	}
}

// fromServiceIsDeprecated warns of clients that are selected as a service.
var fromServiceIsDeprecated = spec.Check{Test: func(n spec.Node) []spec.Problem {
	var problems []spec.Problem
	for _, entry := range n.Get("from").Items() {
		kind := entry.Get("targetRef", "kind")
		if s, _ := kind.Text(); s == mesh.KindMeshService {
			problems = append(problems, kind.Warning("MeshService is deprecated here", "Selecting clients with kind MeshService is deprecated. Use MeshSubset with the tag kuma.io/service, or \"rules\".").About(spec.Deprecation))
		}
	}
	return problems
}}
