package kinds

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshTLS configures the TLS connections between the proxies of a mesh.
var MeshTLS = def.Kind{
	Name: "MeshTLS", Path: "meshtlses", ShortName: "mtls",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Configures whether proxies accept traffic without mutual TLS, and which TLS versions and ciphers they use. " +
		"It only applies to proxies with an identity, from mutual TLS of the Mesh or from a MeshIdentity.",
	Use:    "Use it to migrate a service to mutual TLS (`Permissive`), to enforce it (`Strict`), or to restrict TLS versions and ciphers.",
	Policy: &def.Policy{Order: 300, From: true, Rules: true, FromAsRules: true},
	Fields: def.Object{
		policy.TargetRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshSubset),
		policy.From(policy.OptionalDefault(tlsConf, tlsOfWholeMesh), kuma.KindMesh),
		policy.Rules("2.10", policy.OptionalDefault(tlsConf, tlsOfWholeMesh)),
	},
	Checks: def.Checks(policy.RulesExclude("from"), policy.FromIsDeprecated),
	Design: def.Checks(policy.EmptyDefaults("from", "rules")),
}

var tlsConf = def.Object{
	{
		Name: "tlsVersion", Type: object.TLSVersions, Checks: def.Checks(object.TLSVersionsInOrder),
		Doc: "TLS versions that proxies support. Defaults to those of Envoy.",
	},
	{
		Name: "tlsCiphers", Type: def.List{Elem: def.String}, DropsEmpty: kuma.Before("2.10"),
		OneOf: []string{
			"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
			"ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
		},
		Design: def.Checks(ciphersBeforeTLS13), Doc: "Ciphers that proxies support. Defaults to those of Envoy.",
	},
	{
		Name: "mode", Type: def.String, OneOf: []string{"Permissive", "Strict"},
		Doc: "Whether proxies accept plaintext: `Strict` only accepts mutual TLS, `Permissive` accepts both. " +
			"Defaults to the mode of the mTLS backend of the mesh.",
	},
}

// ciphersBeforeTLS13 warns about ciphers that no connection uses (validation.md, MeshTLS).
var ciphersBeforeTLS13 = def.Check{Test: func(n tree.Node) []def.Problem {
	minimum := tree.Root(tree.At(n.Root().Value(), n.Path.Parent())).Get("tlsVersion", "min")
	version, _ := minimum.Text()
	return def.WarningIf(version == "TLS13" && !n.Empty(), n, "tlsCiphers has no effect",
		"Connections have TLS 1.3, which uses other ciphers. Remove tlsCiphers, or lower tlsVersion.min.")
}}

// tlsOfWholeMesh checks that versions and ciphers are set for the whole mesh,
// because both ends of a connection must agree on them.
var tlsOfWholeMesh = def.Check{
	Doc: "`tlsVersion` and `tlsCiphers` can only be set with Mesh as top-level reference.",
	Test: func(n tree.Node) []def.Problem {
		top := policy.TopKind(n.Root().Get("spec"))
		if top == "" || top == kuma.KindMesh {
			return nil
		}
		var problems []def.Problem
		for _, field := range []string{"tlsVersion", "tlsCiphers"} {
			if m := n.Get(field); m.Known() && (field == "tlsVersion" || m.Filled()) {
				problems = append(problems,
					def.ErrorAt(m, field+" must apply to the whole mesh",
						fmt.Sprintf("Both ends of a connection must agree on it, but the targetRef of the policy is %s. Set it in a policy for Mesh.",
							top)).Instead(m.Path))
			}
		}
		return problems
	},
}
