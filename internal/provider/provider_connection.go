package provider

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
)

func (c config) embed(settings *controlplane.Config, diags *diag.Diagnostics) {
	directory := path.Root("embedded").AtName("directory")
	switch {
	case !c.Context.IsNull():
		diags.AddAttributeError(path.Root("context"), "Conflicting arguments",
			"context conflicts with an embedded block. "+
				"Remove context to use the embedded control plane, or remove the embedded block to connect to the control plane of the context.")
		return
	case !c.Endpoint.IsNull():
		diags.AddAttributeError(path.Root("embedded"), "Conflicting arguments",
			"endpoint conflicts with an embedded block. "+
				"Remove endpoint to use the embedded control plane, or remove the embedded block to connect to the endpoint.")
		return
	case c.Embedded.Directory.ValueString() == "":
		diags.AddAttributeError(directory, "Missing directory",
			"directory is required in an embedded block: it holds the files of the control plane, such as directory = \"${path.root}/mesh\".")
		return
	}
	version := path.Root("embedded").AtName("kuma_version")
	release, ok := parseRelease(c.Embedded.KumaVersion, version, diags)
	if !ok {
		return
	}
	server, err := embedded.New(embedded.Config{
		Directory: c.Embedded.Directory.ValueString(), Zone: c.Embedded.Zone.ValueString(),
		Release: release,
	})
	if other, ok := errors.AsType[*embedded.ReleaseError](err); ok {
		diags.AddAttributeError(version, "Directory belongs to another release",
			fmt.Sprintf("kuma_version is %q, but the directory belongs to a control plane of Kuma %s. "+
				"Remove kuma_version to keep its release, or use another directory. To change its release, write %s to the file %s.",
				other.Requested, other.Kept, other.Requested, other.File))
		return
	}
	if wrong, ok := errors.AsType[*embedded.ZoneError](err); ok {
		diags.AddAttributeError(path.Root("embedded").AtName("zone"), "Invalid name of a zone", phrase.Sentence(wrong))
		return
	}
	if unreadable, ok := errors.AsType[*fs.PathError](err); ok {
		diags.AddAttributeError(directory, "Cannot start the embedded control plane",
			fmt.Sprintf("%s: %s. Set directory to one that the provider can read and write; it is created if it does not exist.", unreadable.Path,
				unreadable.Err))
		return
	}
	if err != nil {
		diags.AddAttributeError(directory, "Cannot start the embedded control plane", phrase.Sentence(err))
		return
	}
	ignored, err := server.Ignored()
	if err != nil {
		diags.AddAttributeError(directory, "Cannot start the embedded control plane", phrase.Sentence(err))
		return
	}
	if len(ignored) > 0 {
		diags.AddAttributeWarning(directory, "Files ignored in the directory", ignoredFiles(ignored))
	}
	settings.Endpoint = "http://embedded"
	settings.Transport = server.Transport()
	settings.InProcess = true
	settings.Identity = server.Directory()
	settings.MaxRetries = -1 // a retry would have the same result
}

// parseRelease returns the release that kuma_version requests, the zero value for none,
// and whether it is valid.
func parseRelease(v types.String, at path.Path, diags *diag.Diagnostics) (kuma.Release, bool) {
	if v.IsNull() {
		return kuma.Release{}, true
	}
	errorsBefore := diags.ErrorsCount()
	minor := parseChoice(v, at, diags, embedded.MinorReleases()...)
	return kuma.ParseRelease(minor), diags.ErrorsCount() == errorsBefore
}

// ignoredFiles lists the files that the embedded control plane ignores.
func ignoredFiles(files []embedded.Ignored) string {
	var b strings.Builder
	b.WriteString("The embedded control plane ignores these files, although they look like resources:\n")
	for _, f := range files {
		fmt.Fprintf(&b, "\n  - %s: %s", f.File, f.Advice)
	}
	return b.String()
}

// connectRemote takes each setting from the first of these that has it: the argument,
// the environment, the context of kumactl. The context is used only if
// nothing else sets the endpoint: its token belongs to its control plane.
func (c config) connectRemote(settings *controlplane.Config, diags *diag.Diagnostics) {
	fromEnv := os.Getenv(connection.EnvEndpoint)
	switch {
	case !c.Endpoint.IsNull() && !c.Context.IsNull():
		diags.AddAttributeError(path.Root("context"), "Conflicting arguments",
			"context conflicts with endpoint: both select a control plane. Remove one of them.")
		return
	case !c.Endpoint.IsNull():
		settings.Endpoint = c.Endpoint.ValueString()
	case fromEnv != "" && c.Context.IsNull():
		settings.Endpoint = fromEnv
	default:
		c.kumactl(settings, diags)
	}
	settings.Token = firstOf(c.Token, os.Getenv(connection.EnvToken), settings.Token)
	if c.Headers != nil {
		settings.Headers = c.Headers
	}
	settings.MaxRetries = parseMaxRetries(c.MaxRetries, diags)
	settings.RequestTimeout = parseTimeout(c.Timeout, diags)
	c.secure(&settings.TLS, diags)
	if c.TLS != nil && strings.HasPrefix(strings.ToLower(settings.Endpoint), "http://") {
		diags.AddAttributeWarning(path.Root("tls"), "TLS settings have no effect",
			"The endpoint begins with http://, so the connection to the control plane is not encrypted. "+
				"To use TLS, set endpoint to the address with https://, on port 5682 by default.")
	}
}

// kumactl reads the settings from the configuration of kumactl, if it exists.
func (c config) kumactl(settings *controlplane.Config, diags *diag.Diagnostics) {
	home, err := os.UserHomeDir()
	if err != nil && c.Context.IsNull() {
		return
	}
	file := filepath.Join(home, ".kumactl", "config")
	if err == nil {
		*settings, err = controlplane.Kumactl(file, c.Context.ValueString())
	}
	switch {
	case errors.Is(err, os.ErrNotExist) && c.Context.IsNull():
	case errors.Is(err, os.ErrNotExist):
		diags.AddAttributeError(path.Root("context"), "Missing configuration of kumactl",
			"context selects a control plane from the configuration of kumactl, but there is no file "+file+
				". Set endpoint instead, or add the control plane with \"kumactl config control-planes add\".")
	case err != nil:
		diags.AddAttributeError(path.Root("context"), "Invalid kumactl context", phrase.Sentence(err))
	}
}

func (c config) secure(settings *controlplane.TLS, diags *diag.Diagnostics) {
	t := c.TLS
	if t == nil {
		t = &tlsConfig{}
	}
	at := path.Root("tls")
	settings.CA = orFile(t.CACertificate, connection.EnvCACertificate, settings.CA, at.AtName("ca_certificate"), diags)
	settings.ClientCert = orFile(t.ClientCertificate, connection.EnvClientCertificate, settings.ClientCert, at.AtName("client_certificate"),
		diags)
	settings.ClientKey = orFile(t.ClientKey, connection.EnvClientKey, settings.ClientKey, at.AtName("client_key"), diags)
	switch v := os.Getenv(connection.EnvInsecure); {
	case !t.InsecureSkipVerify.IsNull():
		settings.InsecureSkipVerify = t.InsecureSkipVerify.ValueBool()
	case v != "":
		skip, err := strconv.ParseBool(v)
		if err != nil {
			diags.AddAttributeError(at.AtName("insecure_skip_verify"), "Invalid environment variable",
				fmt.Sprintf("%s must be true or false, not %q.", connection.EnvInsecure, v))
		}
		settings.InsecureSkipVerify = skip
	}
}

// parseMaxRetries returns the setting of the client, where zero means the default.
func parseMaxRetries(v types.Number, diags *diag.Diagnostics) int {
	const most = 100
	if v.IsNull() {
		return 0
	}
	n, accuracy := v.ValueBigFloat().Int64()
	switch {
	case accuracy != big.Exact || n < 0 || n > most:
		diags.AddAttributeError(path.Root("max_retries"), "Invalid max_retries",
			fmt.Sprintf("max_retries must be an integer from 0, which disables retries, to %d, not %s.", most, v.ValueBigFloat().Text('f', -1)))
		return 0
	case n == 0:
		return -1
	default:
		return int(n)
	}
}

func parseTimeout(v types.String, diags *diag.Diagnostics) time.Duration {
	if v.IsNull() {
		return 0
	}
	d, err := time.ParseDuration(v.ValueString())
	if err != nil || d <= 0 {
		diags.AddAttributeError(path.Root("request_timeout"), "Invalid request_timeout",
			fmt.Sprintf(`request_timeout must be a positive duration such as "90s" or "2m", not %q.`, v.ValueString()))
	}
	return d
}

// parseChoice returns the value of an argument of the provider that must be one
// of the given words, the first of which is the default.
func parseChoice[T ~string](v types.String, attribute path.Path, diags *diag.Diagnostics, allowed ...T) T {
	if v.IsNull() {
		return allowed[0]
	}
	choice := T(v.ValueString())
	if !slices.Contains(allowed, choice) {
		words := phrase.Each(allowed, func(a T) string { return string(a) })
		diags.AddAttributeError(attribute, "Invalid value",
			fmt.Sprintf("%s must be %s, not %q.%s", attribute, phrase.Or(words...), choice, phrase.Suggest(string(choice), words)))
	}
	return choice
}

// firstOf returns the attribute if it is set, else the first other string that
// is not empty.
func firstOf(v types.String, others ...string) string {
	if !v.IsNull() {
		return v.ValueString()
	}
	return cmp.Or(others...)
}

// orFile is [firstOf] with the content of the file that an environment variable
// names.
func orFile(v types.String, name, fallback string, at path.Path, diags *diag.Diagnostics) string {
	file := os.Getenv(name)
	if !v.IsNull() || file == "" {
		return firstOf(v, fallback)
	}
	data, err := os.ReadFile(file)
	if unreadable, ok := errors.AsType[*fs.PathError](err); ok {
		err = unreadable.Err // without the name: it may be the key itself by mistake
	}
	if err != nil {
		diags.AddAttributeError(at, "Cannot read the file",
			fmt.Sprintf("The file that the environment variable %s names cannot be read: %s. Set it to the path of a file in PEM format.", name,
				err))
	}
	return string(data)
}

// attributeOf returns the place for a diagnostic about a field of the client's
// configuration: the attribute, or what contains it if the value may be secret, because
// Terraform prints the lines of an attribute.
func attributeOf(field string) path.Path {
	tls := path.Root("tls")
	switch field {
	case controlplane.FieldContext:
		return path.Root("context")
	case controlplane.FieldInsecureSkipVerify:
		return tls.AtName("insecure_skip_verify")
	case controlplane.FieldCA, controlplane.FieldClientCert, controlplane.FieldClientKey:
		return tls // the key may be in the wrong argument
	default: // an invalid endpoint may contain a password
		return path.Empty()
	}
}
