package provider

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// config is the configuration of the provider.
type config struct {
	Endpoint   types.String      `tfsdk:"endpoint"`
	Token      types.String      `tfsdk:"token" schema:"sensitive"`
	Context    types.String      `tfsdk:"context"`
	Headers    map[string]string `tfsdk:"headers" schema:"sensitive"`
	MaxRetries types.Number      `tfsdk:"max_retries"`
	Timeout    types.String      `tfsdk:"request_timeout"`
	Checks     types.String      `tfsdk:"policy_checks"`
	References types.String      `tfsdk:"reference_checks"`
	Changes    types.String      `tfsdk:"concurrent_changes"`
	Existing   types.String      `tfsdk:"existing"`
	TLS        *tlsConfig        `tfsdk:"tls"`
	Embedded   *embeddedConfig   `tfsdk:"embedded"`
}

type tlsConfig struct {
	CACertificate      types.String `tfsdk:"ca_certificate"`
	ClientCertificate  types.String `tfsdk:"client_certificate"`
	ClientKey          types.String `tfsdk:"client_key" schema:"sensitive"`
	InsecureSkipVerify types.Bool   `tfsdk:"insecure_skip_verify"`
}

type embeddedConfig struct {
	Directory   types.String `tfsdk:"directory"`
	Zone        types.String `tfsdk:"zone"`
	KumaVersion types.String `tfsdk:"kuma_version"`
}

// concurrentChanges is the setting for changes by other clients between the plan and
// its apply.
type concurrentChanges string

const (
	changesRefuse    concurrentChanges = "refuse"
	changesOverwrite concurrentChanges = "overwrite"
)

// connect queries the control plane, so that a wrong address or token is one error on
// the provider instead of one on every resource.
func (c config) connect(ctx context.Context, userAgent string, retry time.Duration, diags *diag.Diagnostics) *connection.Connection {
	checks := parseChoice(c.Checks, path.Root("policy_checks"), diags, connection.ChecksError, connection.ChecksWarning, connection.ChecksOff)
	references := parseChoice(c.References, path.Root("reference_checks"), diags, connection.ReferencesOff, connection.ReferencesWarning,
		connection.ReferencesError)
	changes := parseChoice(c.Changes, path.Root("concurrent_changes"), diags, changesRefuse, changesOverwrite)
	existing := parseChoice(c.Existing, path.Root("existing"), diags, connection.ExistingRefuse, connection.ExistingAdoptEqual,
		connection.ExistingAdopt)
	var settings controlplane.Config
	if c.Embedded != nil {
		c.embed(&settings, diags)
	} else {
		c.connectRemote(&settings, diags)
	}
	if diags.HasError() || settings.Endpoint == "" {
		return &connection.Connection{}
	}
	settings.UserAgent, settings.FirstRetry = userAgent, retry
	settings.Log = logAttempt
	for _, risk := range settings.Risks() {
		at := attributeOf(risk.Field)
		if risk.Field == controlplane.FieldEndpoint { // which is valid
			at = path.Root("endpoint")
		}
		diags.AddAttributeWarning(at, "Insecure connection", phrase.Sentence(&risk))
	}
	client, err := controlplane.New(settings)
	if err != nil {
		invalid := diag.NewErrorDiagnostic("Invalid provider configuration", phrase.Sentence(err))
		at := path.Empty()
		if setting, ok := errors.AsType[*controlplane.ConfigError](err); ok {
			at = attributeOf(setting.Field)
			if setting.Field == controlplane.FieldEndpoint && !c.Endpoint.IsNull() && !strings.ContainsAny(settings.Endpoint, "@?") {
				at = path.Root("endpoint")
			}
		}
		if len(at.Steps()) > 0 {
			diags.Append(diag.WithPath(at, invalid))
		} else { // with an empty path, Terraform would not even show the block
			diags.Append(invalid)
		}
		return &connection.Connection{}
	}
	opened, err := store.Open(ctx, client, store.Options{Overwrite: changes == changesOverwrite, Log: logChange})
	if err != nil {
		report.Connection(diags, err)
		return &connection.Connection{}
	}
	cp := &connection.Connection{Store: opened, Checks: checks, References: references, Existing: existing, Verifies: changes == changesRefuse}
	if settings.InProcess {
		cp.LongestName = embedded.LongestName
	}
	return cp
}

// Target selects a control plane as the arguments of the provider do. Without any of them, the
// environment and the current context of kumactl do.
type Target struct {
	Endpoint, Context string
	Embedded, Zone    string // directory and zone of an embedded control plane
}

// Open connects to a control plane. It returns nil if nothing selects one.
func Open(ctx context.Context, version string, t Target) (*store.Store, error) {
	var diags diag.Diagnostics
	c := config{Endpoint: tfvalue.OptionalString(t.Endpoint), Context: tfvalue.OptionalString(t.Context)}
	if t.Embedded != "" {
		c.Embedded = &embeddedConfig{Directory: types.StringValue(t.Embedded), Zone: tfvalue.OptionalString(t.Zone)}
	}
	opened := c.connect(ctx, userAgent(version, ""), 0, &diags)
	var problems []error
	for _, d := range diags.Errors() {
		problems = append(problems, errors.New(d.Detail()))
	}
	return opened.Store, errors.Join(problems...)
}
