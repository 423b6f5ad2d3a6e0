package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
)

// Environment variables that stand in for attributes of the provider.
const (
	envEndpoint          = "KUMA_ENDPOINT"
	envToken             = "KUMA_TOKEN"
	envCACertificate     = "KUMA_CA_CERTIFICATE_FILE"
	envClientCertificate = "KUMA_CLIENT_CERTIFICATE_FILE"
	envClientKey         = "KUMA_CLIENT_KEY_FILE"
	envInsecure          = "KUMA_INSECURE_SKIP_VERIFY"
)

// config is the configuration of the provider.
type config struct {
	Endpoint types.String    `tfsdk:"endpoint"`
	Token    types.String    `tfsdk:"token"`
	Headers  types.Map       `tfsdk:"headers"`
	Checks   types.String    `tfsdk:"policy_checks"`
	TLS      *tlsConfig      `tfsdk:"tls"`
	Embedded *embeddedConfig `tfsdk:"embedded"`
}

type tlsConfig struct {
	CACertificate      types.String `tfsdk:"ca_certificate"`
	ClientCertificate  types.String `tfsdk:"client_certificate"`
	ClientKey          types.String `tfsdk:"client_key"`
	InsecureSkipVerify types.Bool   `tfsdk:"insecure_skip_verify"`
}

type embeddedConfig struct {
	Directory types.String `tfsdk:"directory"`
	Zone      types.String `tfsdk:"zone"`
}

// connection is what resources and data sources get from the provider.
type connection struct {
	capabilities
	// client is nil while the configuration is not known, or when there is none.
	client *controlplane.Client
	checks policyChecks
	stored storedMeshes
	// unknown says that the configuration depends on what is not applied yet.
	unknown bool
}

// ready reports whether there is a control plane to talk to, and says in the
// diagnostics why not.
func (c *connection) ready(diags *diag.Diagnostics) bool {
	switch {
	case c != nil && c.client != nil:
		return true
	case c.isUnknown():
		diags.AddError("The control plane is not known yet",
			"The configuration of the provider depends on what is not applied yet. Apply that first, for instance with -target, or give the provider values that are known when planning.")
	default:
		diags.AddError("No control plane is configured",
			"This needs a control plane. Set endpoint in the provider block (or the environment variable "+envEndpoint+"), or add an embedded block to run one on a directory of files.")
	}
	return false
}

// isUnknown reports whether the provider's configuration is not known yet: what
// can wait for the apply does.
func (c *connection) isUnknown() bool { return c != nil && c.unknown }

// connect finds out what control plane it is, so that a wrong address or token
// is one error on the provider instead of one on every resource.
func (c config) connect(ctx context.Context, version string, diags *diag.Diagnostics) *connection {
	if c.isUnknown() {
		return &connection{unknown: true}
	}
	checks := parsePolicyChecks(c.Checks, diags)
	settings := controlplane.Config{UserAgent: "terraform-provider-kuma/" + version}
	if c.Embedded != nil {
		c.embed(&settings, diags)
	} else {
		c.remote(ctx, &settings, diags)
	}
	if diags.HasError() || settings.Endpoint == "" {
		return &connection{}
	}
	client, err := controlplane.New(settings)
	if err != nil {
		at := path.Root("endpoint")
		var invalid *controlplane.ConfigError
		if errors.As(err, &invalid) {
			at = attributeOf(invalid.Field)
		}
		diags.AddAttributeError(at, "Invalid configuration of the provider", sentence(err))
		return &connection{}
	}
	can, err := discover(ctx, client)
	if err != nil {
		reportConnection(diags, err)
		return &connection{}
	}
	return &connection{capabilities: can, client: client, checks: checks}
}

func (c config) isUnknown() bool {
	unknown := c.Endpoint.IsUnknown() || c.Token.IsUnknown() || c.Headers.IsUnknown() || c.Checks.IsUnknown()
	if c.TLS != nil {
		unknown = unknown || c.TLS.CACertificate.IsUnknown() || c.TLS.ClientCertificate.IsUnknown() || c.TLS.ClientKey.IsUnknown() || c.TLS.InsecureSkipVerify.IsUnknown()
	}
	if c.Embedded != nil {
		unknown = unknown || c.Embedded.Directory.IsUnknown() || c.Embedded.Zone.IsUnknown()
	}
	return unknown
}

func (c config) embed(settings *controlplane.Config, diags *diag.Diagnostics) {
	directory := path.Root("embedded").AtName("directory")
	switch {
	case !c.Endpoint.IsNull():
		diags.AddAttributeError(path.Root("endpoint"), "endpoint and embedded exclude each other", "The embedded control plane has no address. Remove endpoint to use it, or remove the embedded block to connect to a control plane.")
		return
	case c.Embedded.Directory.ValueString() == "":
		diags.AddAttributeError(directory, "directory is missing", "The embedded control plane needs a directory for its files, such as directory = \"${path.root}/mesh\".")
		return
	}
	server, err := embedded.New(embedded.Config{Directory: c.Embedded.Directory.ValueString(), Zone: c.Embedded.Zone.ValueString()})
	if err != nil {
		diags.AddAttributeError(directory, "The embedded control plane cannot start", sentence(err))
		return
	}
	settings.Endpoint = "http://embedded"
	settings.Transport = server.Transport()
	settings.MaxRetries = -1 // it answers the second time as it does the first
}

func (c config) remote(ctx context.Context, settings *controlplane.Config, diags *diag.Diagnostics) {
	settings.Endpoint = orEnv(c.Endpoint, envEndpoint)
	settings.Token = orEnv(c.Token, envToken)
	if !c.Headers.IsNull() {
		diags.Append(c.Headers.ElementsAs(ctx, &settings.Headers, false)...)
	}
	t := c.TLS
	if t == nil {
		t = &tlsConfig{}
	}
	at := path.Root("tls")
	settings.TLS.CA = orFile(t.CACertificate, envCACertificate, at.AtName("ca_certificate"), diags)
	settings.TLS.ClientCert = orFile(t.ClientCertificate, envClientCertificate, at.AtName("client_certificate"), diags)
	settings.TLS.ClientKey = orFile(t.ClientKey, envClientKey, at.AtName("client_key"), diags)
	settings.TLS.InsecureSkipVerify = t.InsecureSkipVerify.ValueBool()
	if v := os.Getenv(envInsecure); t.InsecureSkipVerify.IsNull() && v != "" {
		skip, err := strconv.ParseBool(v)
		if err != nil {
			diags.AddAttributeError(at.AtName("insecure_skip_verify"), "Invalid environment variable", fmt.Sprintf("%s is %q. Set it to true or false.", envInsecure, v))
		}
		settings.TLS.InsecureSkipVerify = skip
	}
}

func orEnv(v types.String, name string) string {
	if !v.IsNull() {
		return v.ValueString()
	}
	return os.Getenv(name)
}

func orFile(v types.String, name string, at path.Path, diags *diag.Diagnostics) string {
	file := os.Getenv(name)
	if !v.IsNull() || file == "" {
		return v.ValueString()
	}
	data, err := os.ReadFile(file)
	if err != nil {
		diags.AddAttributeError(at, "Unreadable file", fmt.Sprintf("The environment variable %s names a file that cannot be read: %s.", name, err))
	}
	return string(data)
}

// attributeOf returns the attribute behind a field of the client's configuration.
func attributeOf(field string) path.Path {
	tls := path.Root("tls")
	switch field {
	case controlplane.FieldToken:
		return path.Root("token")
	case controlplane.FieldHeaders:
		return path.Root("headers")
	case controlplane.FieldCA:
		return tls.AtName("ca_certificate")
	case controlplane.FieldClientCert:
		return tls.AtName("client_certificate")
	case controlplane.FieldClientKey:
		return tls.AtName("client_key")
	default:
		return path.Root("endpoint")
	}
}
