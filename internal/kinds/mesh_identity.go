package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshIdentity gives proxies their identity.
var MeshIdentity = spec.Kind{
	Name: "MeshIdentity", Path: "meshidentities", ShortName: "mid", Since: "2.12",
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc: "Gives proxies a SPIFFE ID and the certificates that prove it, for mutual TLS without the backends of a Mesh. " +
		"It has no effect in a mesh whose `mesh_services.mode` is not `Exclusive`.",
	Fields: spec.Object{
		{Name: "selector", Doc: "The proxies that get the identity. None when unset.", Type: spec.Object{
			{Name: "dataplane", Doc: "Proxies by the labels of their Dataplane. None when unset.", Type: spec.Object{
				{
					Name: "matchLabels", Type: spec.Map{Elem: spec.String},
					Doc:       "Labels that a Dataplane must all carry. An empty map selects all proxies.",
					Readiness: []spec.Condition{proxyTypeIsGone("")},
				},
			}},
		}},
		{Name: "spiffeID", Doc: "Form of the SPIFFE ID, `spiffe://<trust domain><path>`.", Type: spec.Object{
			{
				Name: "trustDomain", Type: spec.String, Checks: spec.Checks(readableTemplate), Design: spec.Checks(templateFields("Mesh", "Zone").Warn()),
				Doc: "Trust domain as a Go template, with `.Mesh`, `.Zone` and `label \"key\"` for the value of a label of the Dataplane. It is `{{ .Mesh }}.{{ .Zone }}.mesh.local` when unset.",
			},
			{
				Name: "path", Type: spec.String, Checks: spec.Checks(readableTemplate), Design: spec.Checks(templateFields("Namespace", "ServiceAccount", "Workload").Warn()),
				Doc: "Path as a Go template, with `.Workload` and `label \"key\"`, on Kubernetes also `.Namespace` and `.ServiceAccount`. It is `/workload/{{ .Workload }}` when unset and outside Kubernetes.",
			},
		}},
		{
			Name: "provider", Doc: "Who issues the certificates. Nobody does when unset.", Checks: spec.Checks(identityProvider), Design: spec.Checks(spec.Unused(issuers...)),
			Type: spec.Object{
				{
					Name: "type", Type: spec.String, Required: true, OneOf: []string{"Bundled", "Spire", "Extension"}, SinceOf: map[string]string{"Extension": "2.14"},
					Doc: "Kind of issuer: the control plane, a SPIRE agent, or, since Kuma 2.14, an extension of the control plane. Its block is then needed.",
				},
				{Name: "bundled", Type: bundledIssuer, Doc: "The control plane issues the certificates."},
				{Name: "spire", Doc: "A SPIRE agent on the host of the proxy issues the certificates.", Type: spec.Object{
					{Name: "agent", Doc: "The agent.", Type: spec.Object{
						{Name: "timeout", Type: spec.Duration, Doc: "Time to connect to the agent. It is `1s` when unset."},
					}},
				}},
				{Name: "extension", Since: "2.14", Type: extension("name"), Doc: "An extension of the control plane issues the certificates."},
			},
		},
	},
	Design: spec.Checks(identifiesProxies),
}

// issuers are the kinds of issuers.
var issuers = []spec.Variant{
	{Type: "Bundled", Member: "bundled"},
	{Type: "Spire", Member: "spire"},
	{Type: "Extension", Member: "extension"},
}

var bundledIssuer = spec.Object{
	{
		Name: "meshTrustCreation", Type: spec.String, OneOf: []string{"Enabled", "Disabled"},
		Doc: "Whether the control plane creates a MeshTrust, so that proxies accept the identity. It does when unset.",
	},
	{
		Name: "insecureAllowSelfSigned", Type: spec.Bool,
		Doc: "Whether a certificate in `ca` may be signed by itself. It may not when unset.",
	},
	{Name: "autogenerate", Doc: "An authority that the control plane makes by itself.", Type: spec.Object{
		{Name: "enabled", Type: spec.Bool, Doc: "Whether the control plane makes the authority. When unset it does not, and `ca` is needed."},
	}},
	{Name: "ca", Doc: "Your own authority. Not together with `autogenerate`.", Type: spec.Object{
		{Name: "certificate", Type: authorityFile(false), Doc: "Certificate of the authority, in PEM format. It is needed."},
		{Name: "privateKey", Type: authorityFile(true), Doc: "Private key of the authority, in PEM format. It is needed."},
	}},
	{Name: "certificateParameters", Doc: "Certificates of the proxies.", Type: spec.Object{
		{Name: "expiry", Type: spec.Duration, Doc: "Life of a certificate; proxies renew theirs in time. The control plane chooses it when unset."},
	}},
}

// authorityFile describes the places that certificate and key are read from.
func authorityFile(sensitive bool) spec.Object {
	return spec.Object{
		{
			Name: "type", Type: spec.String, Required: true, OneOf: []string{"File", "Secret", "EnvVar", "InsecureInline"},
			Doc: "Where the content comes from. The block of that name is then needed: `file`, `secret_ref`, `env_var` or `insecure_inline`.",
		},
		{Name: "file", Doc: "A file of the control plane.", Type: spec.Object{
			{Name: "path", Type: spec.String, Required: true, Doc: "Absolute path of the file, without `..`."},
		}},
		{Name: "envVar", Doc: "An environment variable of the control plane.", Type: spec.Object{
			{Name: "name", Type: spec.String, Required: true, Doc: "Name of the variable."},
		}},
		{Name: "insecureInline", Doc: "The content itself, which everybody can read who may read the resource.", Type: spec.Object{
			{Name: "value", Type: spec.String, Required: true, Sensitive: sensitive, Doc: "The content."},
		}},
		{Name: "secretRef", Doc: "A Secret of the mesh.", Type: spec.Object{
			{Name: "kind", Type: spec.String, Required: true, OneOf: []string{"Secret"}, Doc: "Kind of the object."},
			{Name: "name", Type: spec.String, Required: true, Doc: "Name of the Secret."},
		}},
	}
}

// readableTemplate checks that a text is a Go template. The control plane does
// not look at the fields in it.
var readableTemplate = spec.Check{Test: func(n spec.Node) []spec.Problem {
	s, _ := n.Text()
	if _, err := parseTemplate(s); err != nil {
		return []spec.Problem{unusableTemplate(n, err)}
	}
	return nil
}}

// identityProvider checks the block of the chosen provider. The control plane
// does not look at the blocks of the others.
var identityProvider = spec.Check{
	Doc: "The block of the chosen type is needed.",
	Test: func(n spec.Node) []spec.Problem {
		kind, _ := n.Get("type").Text()
		switch kind {
		case "Bundled":
			bundled := n.Get("bundled")
			problems := append(needed(bundled), ownAuthority(bundled)...)
			return append(problems, spec.NotNegative().Test(bundled.Get("certificateParameters", "expiry"))...)
		case "Spire":
			return append(needed(n.Get("spire")), spec.NotNegative().Test(n.Get("spire", "agent", "timeout"))...)
		case "Extension":
			return needed(n.Get("extension"))
		}
		return nil
	},
}

func needed(n spec.Node) []spec.Problem {
	if !n.Absent() {
		return nil
	}
	return []spec.Problem{n.Problem(n.Key()+" is missing", fmt.Sprintf("%q is needed here, because of the other settings of its block. Add it.", n.Key()))}
}

// ownAuthority checks that there is one authority, generated or given.
func ownAuthority(bundled spec.Node) []spec.Problem {
	ca, generated := bundled.Get("ca"), bundled.Get("autogenerate", "enabled")
	switch {
	case bundled.Absent() || generated.Unknown():
		return nil
	case generated.True() && ca.Known():
		return []spec.Problem{ca.Problem("ca excludes autogenerate", "The control plane makes the authority by itself (\"autogenerate\"). Remove one of the two.")}
	case generated.True():
		return nil
	case ca.Absent():
		return needed(ca)
	}
	return append(authorityContent(ca.Get("certificate")), authorityContent(ca.Get("privateKey"))...)
}

// authorityContent checks the member that the type of a source asks for.
func authorityContent(source spec.Node) []spec.Problem {
	kind, _ := source.Get("type").Text()
	switch kind {
	case "File":
		return append(needed(source.Get("file")), plainPath.Test(source.Get("file", "path"))...)
	case "Secret":
		return append(needed(source.Get("secretRef")), notEmpty.Test(source.Get("secretRef", "name"))...)
	case "EnvVar":
		return append(needed(source.Get("envVar")), notEmpty.Test(source.Get("envVar", "name"))...)
	case "InsecureInline":
		return append(needed(source.Get("insecureInline")), notEmpty.Test(source.Get("insecureInline", "value"))...)
	}
	return needed(source)
}

var plainPath = spec.Check{Test: func(n spec.Node) []spec.Problem {
	s, ok := n.Text()
	if !ok || strings.HasPrefix(s, "/") && !slices.Contains(strings.Split(s, "/"), "..") {
		return nil
	}
	return []spec.Problem{n.Problem("Invalid path of a file", fmt.Sprintf("%q is no absolute path without \"..\". Write it from the root of the file system of the control plane.", s))}
}}

// identifiesProxies warns of an identity that no proxy gets.
var identifiesProxies = spec.Check{Test: func(n spec.Node) []spec.Problem {
	selector := n.Get("selector")
	if !selector.Get("dataplane").Absent() {
		return nil
	}
	return []spec.Problem{selector.Warning("No proxy gets the identity", "Without a selector for Dataplanes nothing is selected. Add \"dataplane\" with \"matchLabels\"; an empty map of labels selects all proxies.")}
}}
