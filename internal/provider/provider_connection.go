package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

func (c config) embed(settings *controlplane.Config, diags *diag.Diagnostics) {
	directory := path.Root("embedded").AtName("directory")
	switch {
	case !c.Context.IsNull():
		diags.AddAttributeError(path.Root("context"), "context and embedded exclude each other", "The embedded control plane has nothing to do with kumactl. Remove context to use it, or remove the embedded block to connect to a control plane.")
		return
	case !c.Endpoint.IsNull():
		diags.AddAttributeError(path.Root("endpoint"), "endpoint and embedded exclude each other", "The embedded control plane has no address. Remove endpoint to use it, or remove the embedded block to connect to a control plane.")
		return
	case c.Embedded.Directory.ValueString() == "":
		diags.AddAttributeError(directory, "directory is missing", "The embedded control plane needs a directory for its files, such as directory = \"${path.root}/mesh\".")
		return
	}
	server, err := embedded.New(embedded.Config{Directory: c.Embedded.Directory.ValueString(), Zone: c.Embedded.Zone.ValueString()})
	if err != nil {
		diags.AddAttributeError(directory, "The embedded control plane cannot start", phrase.Sentence(err))
		return
	}
	ignored, err := server.Ignored()
	if err != nil {
		diags.AddAttributeError(directory, "The embedded control plane cannot start", phrase.Sentence(err))
		return
	}
	if len(ignored) > 0 {
		diags.AddAttributeWarning(directory, "Files in the directory are ignored", ignoredFiles(ignored))
	}
	settings.Endpoint = "http://embedded"
	settings.Transport = server.Transport()
	settings.InProcess = true
	settings.MaxRetries = -1 // it answers the second time as it does the first
}

// ignoredFiles lists files that the embedded control plane does not read.
func ignoredFiles(files []embedded.Ignored) string {
	var b strings.Builder
	b.WriteString("The embedded control plane does not read these files, although they look like resources:\n")
	for _, f := range files {
		fmt.Fprintf(&b, "\n  - %s: %s", f.File, f.Advice)
	}
	return b.String()
}

// connectRemote takes every setting from the first of these that has it: the attribute,
// the environment, the context of kumactl. The latter is looked at only where
// nothing else names a control plane: its token is for no other.
func (c config) connectRemote(ctx context.Context, settings *controlplane.Config, diags *diag.Diagnostics) {
	fromEnv := os.Getenv(envEndpoint)
	switch {
	case !c.Endpoint.IsNull() && !c.Context.IsNull():
		diags.AddAttributeError(path.Root("context"), "endpoint and context exclude each other", "A context of kumactl names a control plane, and so does endpoint. Remove one of them.")
		return
	case !c.Endpoint.IsNull():
		settings.Endpoint = c.Endpoint.ValueString()
	case fromEnv != "" && c.Context.IsNull():
		settings.Endpoint = fromEnv
	default:
		c.kumactl(settings, diags)
	}
	settings.Token = firstOf(c.Token, os.Getenv(envToken), settings.Token)
	if !c.Headers.IsNull() {
		settings.Headers = nil
		diags.Append(c.Headers.ElementsAs(ctx, &settings.Headers, false)...)
	}
	settings.MaxRetries = parseMaxRetries(c.MaxRetries, diags)
	settings.RequestTimeout = parseTimeout(c.Timeout, diags)
	c.secure(&settings.TLS, diags)
}

// kumactl takes the settings from kumactl's configuration, if there is one.
func (c config) kumactl(settings *controlplane.Config, diags *diag.Diagnostics) {
	home, err := os.UserHomeDir()
	if err != nil && c.Context.IsNull() {
		return
	}
	if err == nil {
		*settings, err = controlplane.Kumactl(filepath.Join(home, ".kumactl", "config"), c.Context.ValueString())
	}
	if errors.Is(err, os.ErrNotExist) && c.Context.IsNull() {
		return
	}
	if err != nil {
		diags.AddAttributeError(path.Root("context"), "The context of kumactl cannot be used", phrase.Sentence(err))
	}
}

func (c config) secure(settings *controlplane.TLS, diags *diag.Diagnostics) {
	t := c.TLS
	if t == nil {
		t = &tlsConfig{}
	}
	at := path.Root("tls")
	settings.CA = orFile(t.CACertificate, envCACertificate, settings.CA, at.AtName("ca_certificate"), diags)
	settings.ClientCert = orFile(t.ClientCertificate, envClientCertificate, settings.ClientCert, at.AtName("client_certificate"), diags)
	settings.ClientKey = orFile(t.ClientKey, envClientKey, settings.ClientKey, at.AtName("client_key"), diags)
	switch v := os.Getenv(envInsecure); {
	case !t.InsecureSkipVerify.IsNull():
		settings.InsecureSkipVerify = t.InsecureSkipVerify.ValueBool()
	case v != "":
		skip, err := strconv.ParseBool(v)
		if err != nil {
			diags.AddAttributeError(at.AtName("insecure_skip_verify"), "Invalid environment variable", fmt.Sprintf("%s is %q. Set it to true or false.", envInsecure, v))
		}
		settings.InsecureSkipVerify = skip
	}
}

// parseMaxRetries returns what the client understands: zero is its default.
func parseMaxRetries(v types.Int64, diags *diag.Diagnostics) int {
	const most = 100
	n := v.ValueInt64()
	switch {
	case v.IsNull():
		return 0
	case n < 0 || n > most:
		diags.AddAttributeError(path.Root("max_retries"), "Invalid max_retries", fmt.Sprintf("max_retries is %d. Write a number from 0, for no retry, to %d.", n, most))
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
		diags.AddAttributeError(path.Root("request_timeout"), "Invalid request_timeout", fmt.Sprintf(`request_timeout %q is no duration above zero. Write a number with its unit, such as "90s" or "2m".`, v.ValueString()))
	}
	return d
}

// parseChoice returns the value of an attribute of the provider that takes one
// of the given words, the first of which is the default.
func parseChoice[T ~string](v types.String, attribute string, diags *diag.Diagnostics, allowed ...T) T {
	if v.IsNull() {
		return allowed[0]
	}
	choice := T(v.ValueString())
	if !slices.Contains(allowed, choice) {
		words := make([]string, len(allowed))
		for i, a := range allowed {
			words[i] = string(a)
		}
		diags.AddAttributeError(path.Root(attribute), "Invalid value", fmt.Sprintf("%s must be %s, not %q.%s", attribute, phrase.Or(words...), choice, phrase.Suggest(string(choice), words)))
	}
	return choice
}

// firstOf returns the attribute where it is set, else the first other text that
// is not empty.
func firstOf(v types.String, others ...string) string {
	if !v.IsNull() {
		return v.ValueString()
	}
	return cmp.Or(others...)
}

// orFile is [firstOf] with the content of the file that an environment variable
// names.
func orFile(v types.String, name, otherwise string, at path.Path, diags *diag.Diagnostics) string {
	file := os.Getenv(name)
	if !v.IsNull() || file == "" {
		return firstOf(v, otherwise)
	}
	data, err := os.ReadFile(file)
	var unreadable *fs.PathError
	if errors.As(err, &unreadable) {
		err = unreadable.Err // without the name: it may be the key itself by mistake
	}
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
	case controlplane.FieldContext:
		return path.Root("context")
	case controlplane.FieldInsecureSkipVerify:
		return tls.AtName("insecure_skip_verify")
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
