package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshExternalService is a destination outside the mesh.
var MeshExternalService = def.Kind{
	Name: "MeshExternalService", Path: "meshexternalservices", ShortName: "extsvc",
	ZoneOwned: kuma.Always(), GlobalOwned: true, Status: true,
	Doc: "A destination outside the mesh, such as a database or a third-party API, that proxies reach under a host name of the mesh. " +
		"A HostnameGenerator generates the host name. Traffic leaves through the zone egress.",
	Use: "Use it for destinations outside the mesh to which policies, permissions or TLS should apply. " +
		"To only allow traffic to a destination, use `kuma_mesh_passthrough`.",
	Page: "networking/meshexternalservice",
	Fields: def.Object{
		{Name: "match", Required: true, Doc: "How proxies identify traffic to the service.", Type: def.Object{
			{
				Name: "type", Type: def.String, OneOf: []string{"HostnameGenerator"}, Default: "HostnameGenerator",
				Doc: "Source of the host name.",
			},
			def.Int.Required("port", "Port number that clients use.", def.Limit(1, check.MaxPort)),
			{
				Name: "protocol", Type: def.String, OneOf: []string{"tcp", "grpc", "http", "http2"}, Default: "tcp",
				Doc: "Protocol of the traffic. Routes, retries and other HTTP features require a protocol other than `tcp`.",
			},
		}},
		{
			Name: "extension", Doc: "An extension of the control plane that replaces `endpoints` and `tls`, which are not checked then.",
			Type: object.Extension("type"),
		},
		def.List{Elem: externalEndpoint}.Field("endpoints", "Addresses of the service. Without endpoints, the service cannot be reached."),
		{
			Name: "tls", Type: externalTLS, Design: def.Checks(unlessExtended(verificationNeedsTLS)),
			Doc: "TLS between the zone egress and the service. If unset, traffic is forwarded as the client sent it.",
		},
	},
	Checks: def.Checks(check.ShortName(check.DisplayName), check.DNSLabelName(check.DisplayName), check.ServerNameWithoutPorts),
	Design: def.Checks(unlessExtended(hasEndpoint), unlessExtended(plainHTTP)),
}

var externalEndpoint = def.Object{
	def.String.Required("address", "IP address or host name of the endpoint.", def.NotEmpty(), unlessExtended(check.HostAddress)),
	def.Int.Required("port", "Port number of the endpoint.", def.Limit(1, check.MaxPort)),
	{
		Name: "priority", Type: def.Int, Since: "2.14", Checks: def.Checks(def.Limit(0, 128)),
		Doc: "Priority of the endpoint. Traffic goes to the lowest priority with healthy endpoints. Defaults to `0`.",
	},
}

var externalTLS = def.Object{
	{
		Name: "enabled", Type: def.Bool, Default: false,
		Doc: "Whether the zone egress opens a TLS connection to the service.",
	},
	{
		Name: "version", Type: object.TLSVersions, Checks: def.Checks(unlessExtended(object.TLSVersionsInOrder)),
		Doc: "TLS versions that the zone egress supports. Defaults to those of Envoy.",
	},
	{
		Name: "allowRenegotiation", Type: def.Bool, Default: false,
		Doc: "Whether the service can renegotiate TLS. Only enable it if the service requires it.",
	},
	{
		Name: "verification", Type: externalVerification, Checks: def.Checks(unlessExtended(keyAndCertificate)),
		Design: def.Checks(unlessExtended(clientCertificate)),
		Doc:    "Verification of the certificate of the service.",
	},
}

var externalVerification = def.Object{
	{
		Name: "mode", Type: def.String, OneOf: []string{"SkipSAN", "SkipCA", "Secured", "SkipAll"}, Default: "Secured",
		Doc: "What is verified. `Secured` verifies the names and the authority of the certificate, `SkipSAN` does not verify the names, " +
			"`SkipCA` does not verify the authority, and `SkipAll` verifies neither.",
	},
	def.String.Field("serverName",
		"Server name (SNI) that the proxy sends. Defaults to the address of the endpoint if it is a host name.", unlessExtended(check.HostName)),
	{
		Name: "subjectAltNames", Doc: "Subject alternative names, one of which the certificate must have. Defaults to the server name.",
		Type: def.List{Elem: def.Object{
			{Name: "type", Type: def.String, OneOf: []string{"Exact", "Prefix"}, Default: "Exact", Doc: "How to match the name."},
			def.String.Required("value", "The name, or a prefix of it."),
		}},
	},
	{
		Name: "caCert", Type: externalSource(false), Checks: externalSourceRules, Design: def.Checks(object.OneSource, object.SomeSource),
		Doc: "Certificate of the authority that must have signed the certificate of the service. " +
			"Defaults to the authorities that the operating system of the proxy trusts.",
	},
	{
		Name: "clientCert", Type: externalSource(false), Checks: externalSourceRules, Design: def.Checks(object.OneSource, object.SomeSource),
		Doc: "Client certificate that the proxy presents to the service. Requires `client_key`. None by default.",
	},
	{
		Name: "clientKey", Type: externalSource(true), Checks: externalSourceRules, Design: def.Checks(object.OneSource, object.SomeSource),
		Doc: "Private key of `client_cert`.",
	},
}

// externalSource describes the sources of a certificate or key in both forms: that of
// older releases, and the only one of Kuma 3.0. Releases before 2.14.6 store the newer
// form as an empty object.
func externalSource(sensitive bool) def.Object {
	o := object.DataSource(sensitive)
	for _, f := range object.SecureDataSource(sensitive, object.SecretSource, object.InlineSource) {
		f.Since = "2.14.6"
		if f.Required {
			f.Required, f.RequiredIn = false, kuma.Since("3.0")
		}
		o = append(o, f)
	}
	return o
}

// externalSourceRules are checked even if an extension implements the service.
var externalSourceRules = def.Checks(def.Check{Test: func(n tree.Node) []def.Problem {
	if n.Get("type").Absent() {
		return nil
	}
	return object.SourceContent.Test(n)
}})

var keyAndCertificate = def.Check{
	Doc: "`clientCert` and `clientKey` must be set together.",
	Test: func(n tree.Node) []def.Problem {
		cert, key := n.Get("clientCert"), n.Get("clientKey")
		switch {
		case cert.Absent() && key.Known():
			return []def.Problem{def.ErrorAt(cert, "Missing clientCert",
				"\"clientKey\" requires \"clientCert\". Add the certificate, or remove the key.")}
		case key.Absent() && cert.Known():
			return []def.Problem{def.ErrorAt(key, "Missing clientKey",
				"\"clientCert\" requires \"clientKey\". Add the key, or remove the certificate.")}
		}
		return nil
	},
}

// clientCertificate checks what the zone egress presents to the service: nothing if it verifies nothing (validation.md §8).
var clientCertificate = def.Check{Test: func(n tree.Node) []def.Problem {
	cert := n.Get("clientCert")
	if mode, _ := n.Get("mode").Text(); mode == "SkipAll" && cert.Known() {
		return []def.Problem{def.WarningAt(cert, "clientCert has no effect",
			"With mode SkipAll, proxies present no client certificate. Use another mode, or remove clientCert and clientKey.")}
	}
	return check.KeyPair(cert, n.Get("clientKey"))
}}

// unlessExtended skips a check of a MeshExternalService that an extension
// implements.
func unlessExtended(c def.Check) def.Check {
	return c.Unless(func(n tree.Node) bool { return !n.Root().Get("spec", "extension").Absent() })
}

// hasEndpoint warns about a service without endpoints.
var hasEndpoint = def.Check{Test: func(n tree.Node) []def.Problem {
	endpoints := n.Get("endpoints")
	return def.WarningIf(endpoints.Empty(), endpoints, "Service has no endpoints",
		"A service without endpoints cannot be reached. Add an endpoint.")
}}

// plainHTTP warns about requests that are sent in plaintext to the port of HTTPS.
var plainHTTP = def.Check{Test: func(n tree.Node) (problems []def.Problem) {
	protocol, _ := n.Get("match", "protocol").Text()
	tls := n.Get("tls", "enabled")
	if !kuma.IsHTTP(protocol) || tls.True() || tls.Unknown() {
		return nil
	}
	for _, port := range n.Find("endpoints[].port") {
		if number, _ := port.Int(); number == 443 {
			problems = append(problems, def.WarningAt(port, "Plaintext to the port of HTTPS",
				"The zone egress sends requests without TLS. Set tls.enabled to true, or protocol to tcp if clients speak TLS."))
		}
	}
	return problems
}}

// verificationNeedsTLS warns about settings for TLS connections that are never
// opened.
var verificationNeedsTLS = def.Check{Test: func(n tree.Node) []def.Problem {
	enabled, verification := n.Get("enabled"), n.Get("verification")
	return def.WarningIf(!enabled.True() && !enabled.Unknown() && verification.Filled(), verification, "verification has no effect",
		"verification is only used with TLS. Set enabled to true, or remove the block.")
}}
