package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshExternalService is a destination outside the mesh.
var MeshExternalService = def.Kind{
	Name: "MeshExternalService", Path: "meshexternalservices", ShortName: "extsvc",
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc: "A destination outside the mesh, such as a database or the API of another company, that proxies reach under a host name of the mesh. " +
		"The host name comes from a HostnameGenerator. Traffic leaves through the zone egress.",
	Fields: def.Object{
		{Name: "match", Required: true, Doc: "How proxies tell the traffic to the service.", Type: def.Object{
			{
				Name: "type", Type: def.String, OneOf: []string{"HostnameGenerator"}, Default: "HostnameGenerator",
				Doc: "Where the host name comes from.",
			},
			{
				Name: "port", Type: def.Int, Required: true, Checks: def.Checks(def.Limit(1, check.MaxPort)),
				Doc: "Port number that clients use.",
			},
			{
				Name: "protocol", Type: def.String, OneOf: []string{"tcp", "grpc", "http", "http2"}, Default: "tcp",
				Doc: "Protocol of the traffic. It is `tcp` when unset, and routes, retries and other HTTP features need one of the others.",
			},
		}},
		{Name: "extension", Doc: "An extension of the control plane that stands in for `endpoints` and `tls`, whose rules then do not hold.", Type: object.Extension("type")},
		{
			Name: "endpoints", Type: def.List{Elem: externalEndpoint},
			Doc: "The addresses of the service. Without any, it cannot be reached.",
		},
		{Name: "tls", Type: externalTLS, Design: def.Checks(unlessExtended(verificationNeedsTLS)), Doc: "TLS between the zone egress and the service. When unset, traffic is passed on as the client sent it."},
	},
	Checks: def.Checks(check.ShortName(check.DisplayName), check.DNSLabelName(check.DisplayName), check.ServerNameWithoutPorts),
	Design: def.Checks(unlessExtended(hasEndpoint)),
}

var externalEndpoint = def.Object{
	{
		Name: "address", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty(), unlessExtended(check.HostAddress)),
		Doc: "IP address or host name of the endpoint.",
	},
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(def.Limit(1, check.MaxPort)),
		Doc: "Port number of the endpoint.",
	},
	{
		Name: "priority", Type: def.Int, Since: "2.14", Checks: def.Checks(def.Limit(0, 128)),
		Doc: "Rank of the endpoint: traffic goes to the lowest number whose endpoints are healthy. It counts as `0` when unset.",
	},
}

var externalTLS = def.Object{
	{
		Name: "enabled", Type: def.Bool, Default: false,
		Doc: "Whether the zone egress opens a TLS connection to the service. It does not when unset.",
	},
	{
		Name: "version", Type: object.TLSVersions, Checks: def.Checks(unlessExtended(object.TLSVersionsInOrder)),
		Doc: "Versions of TLS that the zone egress may agree on. Its own when unset.",
	},
	{
		Name: "allowRenegotiation", Type: def.Bool, Default: false,
		Doc: "Whether the service may renegotiate TLS. It may not when unset, and should not where it need not.",
	},
	{
		Name: "verification", Type: externalVerification, Checks: def.Checks(unlessExtended(keyAndCertificate)),
		Doc: "How the proxy checks the certificate of the service.",
	},
}

var externalVerification = def.Object{
	{
		Name: "mode", Type: def.String, OneOf: []string{"SkipSAN", "SkipCA", "Secured", "SkipAll"}, Default: "Secured",
		Doc: "What is checked. `Secured`, the default, checks the names and the authority of the certificate, `SkipSAN` leaves out the names, `SkipCA` the authority, `SkipAll` both.",
	},
	{
		Name: "serverName", Type: def.String, Checks: def.Checks(unlessExtended(check.HostName)),
		Doc: "Server name (SNI) that the proxy asks for. It is the address of the endpoint when unset and that is a host name.",
	},
	{
		Name: "subjectAltNames", Doc: "Names, one of which the certificate must carry. The server name when unset.",
		Type: def.List{Elem: def.Object{
			{Name: "type", Type: def.String, OneOf: []string{"Exact", "Prefix"}, Default: "Exact", Doc: "Whether the name is compared as a whole, the default, or only its beginning."},
			{Name: "value", Type: def.String, Required: true, Doc: "The name, or its beginning."},
		}},
	},
	{Name: "caCert", Type: object.DataSource(false), Design: def.Checks(object.OneSource, object.SomeSource), Doc: "Certificate of the authority that must have signed the certificate of the service. The authorities that the proxy's system trusts when unset."},
	{Name: "clientCert", Type: object.DataSource(false), Design: def.Checks(object.OneSource, object.SomeSource), Doc: "Certificate that the proxy shows to the service, together with `client_key`. None when unset."},
	{Name: "clientKey", Type: object.DataSource(true), Design: def.Checks(object.OneSource, object.SomeSource), Doc: "Private key of `client_cert`."},
}

var keyAndCertificate = def.Check{
	Doc: "`clientCert` and `clientKey` need each other.",
	Test: func(n tree.Node) []def.Problem {
		cert, key := n.Get("clientCert"), n.Get("clientKey")
		switch {
		case cert.Absent() && key.Known():
			return []def.Problem{def.ErrorAt(cert, "clientCert is missing", "There is a \"clientKey\" without its certificate. Add \"clientCert\", or remove the key.")}
		case key.Absent() && cert.Known():
			return []def.Problem{def.ErrorAt(key, "clientKey is missing", "There is a \"clientCert\" without its key. Add \"clientKey\", or remove the certificate.")}
		}
		return nil
	},
}

// unlessExtended leaves out a check of a MeshExternalService that an extension
// implements.
func unlessExtended(c def.Check) def.Check {
	test := c.Test
	c.Test = func(n tree.Node) []def.Problem {
		if !n.Root().Get("spec", "extension").Absent() {
			return nil
		}
		return test(n)
	}
	return c
}

// hasEndpoint warns of a service that is nowhere.
var hasEndpoint = def.Check{Test: func(n tree.Node) []def.Problem {
	endpoints := n.Get("endpoints")
	if !endpoints.Empty() {
		return nil
	}
	return []def.Problem{def.WarningAt(endpoints, "The service has no endpoint", "Without an address the service cannot be reached. Add an endpoint.")}
}}

// verificationNeedsTLS warns of settings for connections that are never opened.
var verificationNeedsTLS = def.Check{Test: func(n tree.Node) []def.Problem {
	enabled, verification := n.Get("enabled"), n.Get("verification")
	if enabled.True() || enabled.Unknown() || !verification.Filled() {
		return nil
	}
	return []def.Problem{def.WarningAt(verification, "verification has no effect", "No TLS connection is opened to the service. Set enabled to true, or remove the block.")}
}}
