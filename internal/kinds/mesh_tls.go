package kinds

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshTLS decides how the proxies of a mesh speak TLS with each other.
var MeshTLS = def.Kind{
	Name: "MeshTLS", Path: "meshtlses", ShortName: "mtls",
	ZoneOwned: true, GlobalOwned: true,
	Doc: "Decides whether proxies accept traffic without mutual TLS, and which versions and ciphers of TLS they use. " +
		"It acts only where proxies have an identity, from mutual TLS of the Mesh or from a MeshIdentity.",
	Policy: &def.Policy{Order: 300, From: true, Rules: true, FromAsRules: true},
	Fields: def.Object{
		topRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshSubset),
		from(optionalConf(tlsConf, tlsOfWholeMesh), kuma.KindMesh),
		inboundRules("2.10", optionalConf(tlsConf, tlsOfWholeMesh)),
	},
	Checks:    def.Checks(rulesExclude("from"), fromIsDeprecated),
	Design:    def.Checks(emptyDefaults("from", "rules")),
	Readiness: []def.Condition{tlsFromClients},
}

var tlsFromClients = def.Condition{
	ID: "K3-032", Effect: def.Changes, Danger: def.Security, At: "spec.from",
	Doc: "The settings are in \"from\", which Kuma 3.0 drops without a word: mode, versions and ciphers are back at its defaults, and proxies with an identity are strict.",
	Do:  "Write \"rules\" with one entry {default: …} for each entry of \"from\".",
}

var tlsConf = def.Object{
	{
		Name: "tlsVersion", Type: tlsVersions, Checks: def.Checks(tlsVersionsInOrder),
		Doc: "Versions of TLS that proxies agree on. Those of Envoy when unset.",
	},
	{
		Name: "tlsCiphers", Type: def.List{Elem: def.String},
		OneOf: []string{
			"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
			"ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
		},
		Doc: "Ciphers that proxies agree on. Those of Envoy when unset.",
	},
	{
		Name: "mode", Type: def.String, OneOf: []string{"Permissive", "Strict"},
		Doc: "Whether plain traffic is accepted: `Strict` takes mutual TLS only, `Permissive` both. The mode of the mesh's mTLS backend when unset.",
	},
}

// tlsOfWholeMesh: both ends of a connection must agree on versions and ciphers.
var tlsOfWholeMesh = def.Check{
	Doc: "`tlsVersion` and `tlsCiphers` can be set only with Mesh as top-level reference.",
	Test: func(n tree.Node) []def.Problem {
		top := topKind(n.Root().Get("spec"))
		if top == "" || top == kuma.KindMesh {
			return nil
		}
		var problems []def.Problem
		for _, member := range []string{"tlsVersion", "tlsCiphers"} {
			if m := n.Get(member); m.Known() {
				problems = append(problems, def.ErrorAt(m, member+" is for the whole mesh", fmt.Sprintf("Both ends of a connection must agree on it, and the policy's targetRef is %s. Set it in a policy for Mesh.", top)))
			}
		}
		return problems
	},
}

// AcceptsPlainText reports whether a resource is a policy that lets proxies
// accept plain traffic, also in Kuma 3.0, which reads its rules only.
func AcceptsPlainText(r kuma.Resource) bool {
	if r.Type != MeshTLS.Name {
		return false
	}
	for _, mode := range tree.Root(r.Document()).Find("spec.rules[].default.mode") {
		if s, _ := mode.Text(); s == "Permissive" {
			return true
		}
	}
	return false
}
