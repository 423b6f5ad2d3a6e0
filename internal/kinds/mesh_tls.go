package kinds

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshTLS decides how the proxies of a mesh speak TLS with each other.
var MeshTLS = spec.Kind{
	Name: "MeshTLS", Path: "meshtlses", ShortName: "mtls",
	ZoneOwned: true, GlobalOwned: true,
	Doc: "Decides whether proxies accept traffic without mutual TLS, and which versions and ciphers of TLS they use. " +
		"It acts only where proxies have an identity, from mutual TLS of the Mesh or from a MeshIdentity.",
	Policy: &spec.Policy{Order: 300, From: true, Rules: true, FromAsRules: true},
	Fields: spec.Object{
		topRef(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshSubset),
		from(optionalConf(tlsConf, tlsOfWholeMesh), mesh.KindMesh),
		inboundRules("2.10", optionalConf(tlsConf, tlsOfWholeMesh)),
	},
	Checks:    spec.Checks(rulesExclude("from"), fromIsDeprecated),
	Design:    spec.Checks(emptyDefaults("from", "rules")),
	Readiness: []spec.Condition{tlsFromClients},
}

var tlsFromClients = spec.Condition{
	ID: "K3-032", Effect: spec.Changes, Danger: spec.Security, At: "spec.from",
	Doc: "The settings are in \"from\", which Kuma 3.0 drops without a word: mode, versions and ciphers are back at its defaults, and proxies with an identity are strict.",
	Do:  "Write \"rules\" with one entry {default: …} for each entry of \"from\".",
}

var tlsConf = spec.Object{
	{
		Name: "tlsVersion", Type: tlsVersions, Checks: spec.Checks(tlsVersionsInOrder),
		Doc: "Versions of TLS that proxies agree on. Those of Envoy when unset.",
	},
	{
		Name: "tlsCiphers", Type: spec.List{Elem: spec.String},
		OneOf: []string{
			"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
			"ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
		},
		Doc: "Ciphers that proxies agree on. Those of Envoy when unset.",
	},
	{
		Name: "mode", Type: spec.String, OneOf: []string{"Permissive", "Strict"},
		Doc: "Whether plain traffic is accepted: `Strict` takes mutual TLS only, `Permissive` both. The mode of the mesh's mTLS backend when unset.",
	},
}

// tlsOfWholeMesh: both ends of a connection must agree on versions and ciphers.
var tlsOfWholeMesh = spec.Check{
	Doc: "`tls_version` and `tls_ciphers` can be set only with Mesh as top-level reference.",
	Test: func(n spec.Node) []spec.Problem {
		top := topKind(n.Root().Get("spec"))
		if top == "" || top == mesh.KindMesh {
			return nil
		}
		var problems []spec.Problem
		for _, member := range []string{"tlsVersion", "tlsCiphers"} {
			if m := n.Get(member); m.Known() {
				problems = append(problems, m.Problem(member+" is for the whole mesh", fmt.Sprintf("Both ends of a connection must agree on it, and the policy's targetRef is %s. Set it in a policy for Mesh.", top)))
			}
		}
		return problems
	},
}

// AcceptsPlainText reports whether a resource is a policy that lets proxies
// accept plain traffic, also in Kuma 3.0, which reads its rules only.
func AcceptsPlainText(r mesh.Resource) bool {
	if r.Type != MeshTLS.Name {
		return false
	}
	for _, mode := range spec.Root(r.Document()).Find("spec.rules[].default.mode") {
		if s, _ := mode.Text(); s == "Permissive" {
			return true
		}
	}
	return false
}
