package kinds

import (
	"regexp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshIdentity gives proxies their identity.
var MeshIdentity = def.Kind{
	Name: "MeshIdentity", Path: "meshidentities", ShortName: "mid", Since: "2.12",
	ZoneOwned: kuma.Always(), GlobalOwned: true, Status: true,
	Doc: "Gives proxies a SPIFFE ID and certificates for it, for mutual TLS without the backends of a Mesh. " +
		"It has no effect unless `mesh_services.mode` of the mesh is `Exclusive`.",
	Use: "Use it for mutual TLS in meshes with `mesh_services.mode` set to `Exclusive`. In other meshes, use `mtls` of `kuma_mesh`.",
	Fields: def.Object{
		{Name: "selector", Doc: "The proxies that get the identity. None by default.", Type: def.Object{
			{Name: "dataplane", Doc: "Selects proxies by the labels of their Dataplane. None by default.", Type: def.Object{
				def.StringMap{}.Field("matchLabels", "Labels that a Dataplane must have. An empty map selects all proxies."),
			}},
		}},
		{Name: "spiffeID", Immutable: kuma.Since("3.0"), Doc: "Format of the SPIFFE ID, `spiffe://<trust domain><path>`.", Type: def.Object{
			{
				Name: "trustDomain", Type: def.String, Checks: def.Checks(readableTemplate),
				Design: def.Checks(check.TemplateFields(".Mesh", ".Zone"), fixedTrustDomainChars),
				Doc:    "Trust domain as a Go template, with `.Mesh` and `.Zone`. Defaults to `{{ .Mesh }}.{{ .Zone }}.mesh.local`.",
			},
			{
				Name: "path", Type: def.String, Checks: def.Checks(readableTemplate),
				Design: def.Checks(rootedTemplate,
					check.TemplateFields(check.TemplateLabel, ".TrustDomain", ".Workload", ".Namespace", ".ServiceAccount")),
				Doc: "Path as a Go template, with `.TrustDomain`, `.Workload` and `label \"key\"` for the value of a label of the Dataplane, on " +
					"Kubernetes also `.Namespace` and `.ServiceAccount`. " +
					"Outside Kubernetes it defaults to `/workload/{{ .Workload }}`, where `.Workload` is the label `kuma.io/workload`. " +
					"A proxy gets no configuration if its Dataplane does not have a label that the path requires.",
			},
		}},
		{
			Name: "provider", Doc: "Issuer of the certificates. If unset, no certificates are issued.", Checks: def.Checks(identityProvider),
			Design: def.Checks(def.Unused(issuers...), acceptsAuthority),
			Type: def.Object{
				{
					Name: "type", Type: def.String, Required: true, OneOf: []string{"Bundled", "Spire", "Extension"},
					SinceOf: map[string]string{"Extension": "2.14"},
					Doc: "Type of the issuer: the control plane, a SPIRE agent or, since Kuma 2.14, an extension of the control plane. " +
						"The block of the chosen issuer is required.",
				},
				{Name: "bundled", Type: bundledIssuer, Doc: "The control plane issues the certificates."},
				{Name: "spire", Doc: "A SPIRE agent on the host of the proxy issues the certificates.", Type: def.Object{
					{Name: "agent", Doc: "The agent.", Type: def.Object{
						def.Duration.Field("timeout", "Timeout for connecting to the agent. Defaults to `1s`."),
					}},
				}},
				{Name: "extension", Since: "2.14", Type: object.Extension("name"), Doc: "An extension of the control plane issues the certificates."},
			},
		},
	},
	Design:    def.Checks(identifiesProxies, issuesCertificates),
	Generates: map[string]func(kuma.Resource) []string{Secret.Name: generatedAuthority, MeshTrust.Name: createdTrust},
}

// IsBundled reports whether the control plane issues the certificates of a MeshIdentity.
func IsBundled(r kuma.Resource) bool {
	kind, _ := tree.Root(r.Spec()).Get("provider", "type").Text()
	return kind == "Bundled"
}

// generatedAuthority returns the names of the secrets of a generated authority.
func generatedAuthority(r kuma.Resource) []string {
	if !IsBundled(r) || !tree.Root(r.Spec()).Get("provider", "bundled", "autogenerate", "enabled").True() {
		return nil
	}
	return []string{r.DisplayName() + "-root-ca", r.DisplayName() + "-private-key"}
}

// createdTrust returns the name of the MeshTrust with the authority.
func createdTrust(r kuma.Resource) []string {
	creation, _ := tree.Root(r.Spec()).Get("provider", "bundled", "meshTrustCreation").Text()
	if !IsBundled(r) || creation == "Disabled" {
		return nil
	}
	return []string{r.Name}
}

// issuers are the kinds of issuers.
var issuers = []def.Variant{
	{Type: "Bundled", Field: "bundled"},
	{Type: "Spire", Field: "spire"},
	{Type: "Extension", Field: "extension"},
}

var bundledIssuer = def.Object{
	{
		Name: "meshTrustCreation", Type: def.String, OneOf: []string{"Enabled", "Disabled"},
		Doc: "Whether the control plane creates a MeshTrust, so that proxies accept the identity. Defaults to `Enabled`.",
	},
	def.Bool.Field("insecureAllowSelfSigned",
		"Whether to allow a self-signed certificate of the authority. Defaults to `false`. "+
			"Required with `autogenerate`, because a generated authority is self-signed."),
	{Name: "autogenerate", Doc: "An authority that the control plane generates.", Type: def.Object{
		def.Bool.Field("enabled", "Whether the control plane generates the authority. Defaults to `false`, in which case `ca` is required."),
	}},
	{Name: "ca", Doc: "Your own authority. Conflicts with `autogenerate`.", Type: def.Object{
		{Name: "certificate", Type: object.SecureDataSource(false, object.FileSource, object.SecretSource, object.EnvVarSource,
			object.InlineSource), Doc: "Certificate of the authority, in PEM format. Required inside the block."},
		{Name: "privateKey", Type: object.SecureDataSource(true, object.FileSource, object.SecretSource, object.EnvVarSource,
			object.InlineSource), Doc: "Private key of the authority, in PEM format. Required inside the block."},
	}},
	{Name: "certificateParameters", Doc: "Certificates of the proxies.", Type: def.Object{
		def.Duration.Field("expiry", "Lifetime of a certificate, which is renewed before it expires. Defaults to 1 day, in Kuma 3.0 to 5 days."),
	}},
}

// readableTemplate checks that a string is a Go template. The control plane
// does not check the fields in it.
var readableTemplate = def.Check{Test: func(n tree.Node) []def.Problem {
	s, _ := n.Text()
	if _, err := check.ParseTemplate(s); err != nil {
		return []def.Problem{check.UnusableTemplate(n, err)}
	}
	return nil
}}

// rootedTemplate checks that a path does not continue the trust domain.
var rootedTemplate = def.Check{Test: func(n tree.Node) []def.Problem {
	if s, _ := n.Text(); strings.HasPrefix(s, "{{") {
		return nil // not known before it is rendered
	}
	return check.RootedPath.Test(n)
}}

// identityProvider checks the block of the chosen provider. The control plane
// ignores the blocks of the others.
var identityProvider = def.Check{
	Doc: "The block of the chosen type is required.",
	Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("type").Text()
		switch kind {
		case "Bundled":
			bundled := n.Get("bundled")
			problems := append(object.Needed(bundled), oneAuthority(bundled)...)
			return append(problems, def.NotNegative().Test(bundled.Get("certificateParameters", "expiry"))...)
		case "Spire":
			return append(object.Needed(n.Get("spire")), def.NotNegative().Test(n.Get("spire", "agent", "timeout"))...)
		case "Extension":
			return object.Needed(n.Get("extension"))
		}
		return nil
	},
}

// oneAuthority checks that there is one authority, generated or given.
func oneAuthority(bundled tree.Node) []def.Problem {
	ca, generated := bundled.Get("ca"), bundled.Get("autogenerate", "enabled")
	switch {
	case bundled.Absent() || generated.Unknown():
		return nil
	case generated.True() && ca.Known():
		return []def.Problem{def.ErrorAt(ca, "ca conflicts with autogenerate",
			"With \"autogenerate\" the control plane generates the authority. Remove one of the two.")}
	case generated.True():
		return nil
	case ca.Absent():
		return []def.Problem{def.ErrorAt(ca, "ca is missing",
			"A bundled provider requires an authority. Set \"enabled\" of \"autogenerate\" to true, or add \"ca\".")}
	}
	return append(object.SourceContent.Test(ca.Get("certificate")), object.SourceContent.Test(ca.Get("privateKey"))...)
}

// acceptsAuthority warns about an authority, generated or in the document, that all control planes then reject
// (validation.md, MeshIdentity).
var acceptsAuthority = def.Check{Test: func(n tree.Node) []def.Problem {
	bundled := n.Get("bundled")
	accepted, generated := bundled.Get("insecureAllowSelfSigned"), bundled.Get("autogenerate", "enabled")
	content := bundled.Get("ca", "certificate", "insecureInline", "value")
	kind, _ := n.Get("type").Text()
	text, inline := content.Text()
	switch {
	case kind != "Bundled" || accepted.Unknown():
	case generated.True() && !accepted.True():
		return []def.Problem{def.WarningAt(generated, "Self-signed authority not allowed",
			"The control plane generates a self-signed certificate but rejects it, so no proxy gets the identity. "+
				"Set \"insecureAllowSelfSigned\" to true, or provide an authority in \"ca\".")}
	case inline:
		if problem := AuthorityProblem([]byte(text), accepted, kuma.Newest2()); problem != "" {
			return []def.Problem{def.WarningAt(content, "Authority not accepted",
				"No proxy gets a certificate, because "+strings.Replace(problem, "its", "the", 1)+".")}
		}
	}
	return nil
}}

// identifiesProxies warns about an identity that no proxy gets.
var identifiesProxies = def.Check{Test: func(n tree.Node) []def.Problem {
	selector := n.Get("selector")
	return def.WarningIf(selector.Get("dataplane").Absent(), selector, "Identity selects no proxies",
		"Without a selector for Dataplanes no proxy gets the identity. "+
			"Set \"dataplane\" with \"matchLabels\"; an empty map of labels selects all proxies.")
}}

// issuesCertificates warns about an identity without an issuer.
var issuesCertificates = def.Check{Test: func(n tree.Node) []def.Problem {
	provider := n.Get("provider")
	return def.WarningIf(provider.Absent(), provider, "Identity issues no certificates",
		"Without a provider it only publishes SPIFFE IDs, and no proxy gets a certificate of it. Add \"provider\" to issue certificates.")
}}

// fixedTrustDomainChars is [trustDomainChars] for a template.
var fixedTrustDomainChars = def.Check{Test: func(n tree.Node) []def.Problem {
	text, _ := n.Text()
	return trustDomainChars.Test(n.With(inTemplate.ReplaceAllString(text, "")))
}}

// inTemplate matches the parts of a Go template that are replaced.
var inTemplate = regexp.MustCompile(`{{.*?}}`)
