package provider_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestConfiguration checks which control plane receives which token, and the
// diagnostics about invalid and insecure settings.
func TestConfiguration(t *testing.T) {
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	testworld.NoError(t, err)
	var mu sync.Mutex
	var asked []string
	serve := func(name string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked = append(asked, strings.TrimSpace(name+" "+r.Header.Get("Authorization")+" "+r.Header.Get("X-Team")))
			mu.Unlock()
			if got := r.Header.Get("User-Agent"); got != "terraform-provider-kuma/test Terraform/1.11.4" {
				t.Errorf("user agent %q", got)
			}
			server.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	first, second, third, fourth := serve("first"), serve("second"), serve("third"), serve("fourth")
	file := fmt.Sprintf(`
contexts: [{name: third, controlPlane: third}, {name: fourth, controlPlane: fourth}]
controlPlanes:
- {name: third, coordinates: {apiServer: {url: %q, authType: tokens, authConf: {token: t3}}}}
- {name: fourth, coordinates: {apiServer: {url: %q, authType: tokens, authConf: {token: t4}, headers: [{key: X-Team, value: shop}]}}}
currentContext: third
`, third, fourth)

	for name, test := range map[string]struct {
		config map[string]any
		env    map[string]string
		file   string // of kumactl; empty for none
		asked  string // by the first request
		said   string // part of the only diagnostic: severity, attribute, summary, detail
	}{
		"attribute before all":             {map[string]any{"endpoint": first, "token": "t1"}, map[string]string{"KUMA_ENDPOINT": second, "KUMA_TOKEN": "t2"}, file, "first Bearer t1", ""},
		"environment before the file":      {nil, map[string]string{"KUMA_ENDPOINT": second, "KUMA_TOKEN": "t2"}, file, "second Bearer t2", ""},
		"token of kumactl stays with it":   {map[string]any{"endpoint": first}, nil, file, "first", ""},
		"and is not for the environment's": {nil, map[string]string{"KUMA_ENDPOINT": second}, file, "second", ""},
		"current context":                  {nil, nil, file, "third Bearer t3", ""},
		"context by name":                  {map[string]any{"context": "fourth"}, nil, file, "fourth Bearer t4 shop", ""},
		"context before the environment":   {map[string]any{"context": "fourth"}, map[string]string{"KUMA_ENDPOINT": second}, file, "fourth Bearer t4 shop", ""},
		"token of another":                 {map[string]any{"context": "fourth"}, map[string]string{"KUMA_TOKEN": "t2"}, file, "fourth Bearer t2 shop", ""},
		"broken file that is not needed":   {map[string]any{"endpoint": first}, nil, "contexts: {", "first", ""},
		"nothing configured":               {nil, nil, "", "", ""},

		"context without file":         {map[string]any{"context": "shop"}, nil, "", "", "ERROR context Missing configuration of kumactl: context selects a control plane from the configuration of kumactl, but there is no file "},
		"GUI instead of the API":       {map[string]any{"endpoint": "http://cp.invalid/kuma/gui/meshes"}, nil, "", "", "ERROR endpoint Invalid provider configuration: The endpoint is the URL of the GUI. Use the URL of the API: http://cp.invalid/kuma."},
		"port of another server":       {map[string]any{"endpoint": other.URL}, nil, "", "", "ERROR endpoint Cannot use the control plane: GET /: no control plane answers here. Check the host, the port (5681 for HTTP and 5682 for HTTPS by default) and the base path of the endpoint."},
		"unknown context":              {map[string]any{"context": "fith"}, nil, file, "", `ERROR context Invalid kumactl context: The context of kumactl cannot be read from`},
		"broken file":                  {nil, nil, "contexts: {", "", "ERROR context Invalid kumactl context: "},
		"context and endpoint":         {map[string]any{"context": "third", "endpoint": first}, nil, file, "", "ERROR context Conflicting arguments: context conflicts with endpoint"},
		"too few retries":              {map[string]any{"endpoint": first, "max_retries": -1}, nil, "", "", "ERROR max_retries Invalid max_retries: max_retries must be an integer from 0, which disables retries, to 100, not -1."},
		"part of a retry":              {map[string]any{"endpoint": first, "max_retries": 1.5}, nil, "", "", "ERROR max_retries Invalid max_retries: max_retries must be an integer from 0, which disables retries, to 100, not 1.5."},
		"too many retries":             {map[string]any{"endpoint": first, "max_retries": 101}, nil, "", "", "ERROR max_retries Invalid max_retries: max_retries must be an integer from 0, which disables retries, to 100, not 101."},
		"no retries":                   {map[string]any{"endpoint": "http://127.0.0.1:1", "max_retries": 0}, nil, "", "", "ERROR endpoint Cannot use the control plane: GET /: cannot reach the control plane at http://127.0.0.1:1: "},
		"timeout without unit":         {map[string]any{"endpoint": first, "request_timeout": "90"}, nil, "", "", `ERROR request_timeout Invalid request_timeout: request_timeout must be a positive duration such as "90s" or "2m", not "90".`},
		"timeout of zero":              {map[string]any{"endpoint": first, "request_timeout": "0s"}, nil, "", "", "ERROR request_timeout Invalid request_timeout"},
		"timeout that is too short":    {map[string]any{"endpoint": first, "request_timeout": "1ns", "max_retries": 1}, nil, "", "", "ERROR endpoint Cannot use the control plane: GET /: cannot reach the control plane at " + first + " after 2 attempts"},
		"token without encryption":     {map[string]any{"endpoint": "http://cp.invalid", "token": "t1", "max_retries": 0, "request_timeout": "50ms"}, nil, "", "", "WARNING endpoint Insecure connection: The endpoint http://cp.invalid/ does not use encryption"},
		"any certificate":              {map[string]any{"endpoint": "https://cp.invalid", "tls": map[string]any{"insecure_skip_verify": true}, "max_retries": 0, "request_timeout": "50ms"}, nil, "", "", "WARNING tls.insecure_skip_verify Insecure connection: The insecure_skip_verify setting accepts any certificate"},
		"certificate of kumactl":       {nil, nil, strings.Replace(file, "url: ", `caCertFile: /nowhere/ca.pem, url: `, 1), "", "ERROR context Invalid kumactl context: The context of kumactl cannot be read from"},
		"key instead of its file":      {map[string]any{"endpoint": first}, map[string]string{"KUMA_CLIENT_KEY_FILE": "-----BEGIN PRIVATE KEY-----\nhunter2"}, "", "", "ERROR tls.client_key Cannot read the file: The file that the environment variable KUMA_CLIENT_KEY_FILE names cannot be read: no such file or directory."},
		"unreadable file in the env":   {map[string]any{"endpoint": first}, map[string]string{"KUMA_CA_CERTIFICATE_FILE": "/nowhere/ca.pem"}, "", "", "ERROR tls.ca_certificate Cannot read the file"},
		"neither true nor false":       {map[string]any{"endpoint": first}, map[string]string{"KUMA_INSECURE_SKIP_VERIFY": "perhaps"}, "", "", "ERROR tls.insecure_skip_verify Invalid environment variable"},
		"attribute before a bad file":  {map[string]any{"endpoint": "https://cp.invalid", "tls": map[string]any{"ca_certificate": "x"}}, map[string]string{"KUMA_CA_CERTIFICATE_FILE": "/nowhere/ca.pem"}, "", "", "ERROR tls Invalid provider configuration"},
		"context and embedded":         {map[string]any{"context": "third", "embedded": map[string]any{"directory": "x"}}, nil, file, "", "ERROR context Conflicting arguments: context conflicts with an embedded block"},
		"context that is not known":    {map[string]any{"context": tftypes.UnknownValue}, nil, file, "", ""},
		"retries that are not known":   {map[string]any{"endpoint": first, "max_retries": tftypes.UnknownValue}, nil, file, "", ""},
		"timeout that is not known":    {map[string]any{"endpoint": first, "request_timeout": tftypes.UnknownValue}, nil, file, "", ""},
		"password, no scheme":          {nil, map[string]string{"KUMA_ENDPOINT": "admin:hunter2@cp.invalid:5682"}, "", "", "ERROR Invalid provider configuration: The endpoint must begin with http:// or https:// and a host. Use a URL such as https://kuma.example.com:5682."},
		"password, one slash":          {nil, map[string]string{"KUMA_ENDPOINT": "https:/admin:hunter2@cp.invalid"}, "", "", "ERROR Invalid provider configuration: The endpoint must begin with http:// or https:// and a host. Use a URL such as https://kuma.example.com:5682."},
		"secret in a query":            {nil, map[string]string{"KUMA_ENDPOINT": "https://cp.invalid?key=hunter2"}, "", "", "ERROR Invalid provider configuration: The endpoint must not have a query or fragment. Use a URL such as https://kuma.example.com:5682."},
		"header without encryption":    {map[string]any{"endpoint": "http://cp.invalid", "headers": map[string]any{"X-Api-Key": "k"}, "max_retries": 0, "request_timeout": "50ms"}, nil, "", "", "WARNING endpoint Insecure connection: The endpoint http://cp.invalid/ does not use encryption: anyone on the network path can read the configured headers."},
		"TLS without encryption":       {map[string]any{"endpoint": first, "tls": map[string]any{"insecure_skip_verify": true}}, nil, "", "first", "WARNING tls TLS settings have no effect"},
		"own timeout and many retries": {map[string]any{"endpoint": first, "request_timeout": "1m30s", "max_retries": 100}, nil, "", "first", ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			for _, name := range []string{"KUMA_ENDPOINT", "KUMA_TOKEN", "KUMA_CA_CERTIFICATE_FILE", "KUMA_CLIENT_KEY_FILE", "KUMA_INSECURE_SKIP_VERIFY"} {
				t.Setenv(name, test.env[name])
			}
			if test.file != "" {
				testworld.NoError(t, os.Mkdir(filepath.Join(home, ".kumactl"), 0o700))
				providertest.Write(t, filepath.Join(home, ".kumactl", "config"), test.file)
			}
			asked = nil
			said := configure(t, test.config)
			if test.said != "" && (len(said) == 0 || !strings.HasPrefix(said[0], test.said)) || test.said == "" && len(said) > 0 {
				t.Errorf("diagnostics %q, want %q", said, test.said)
			}
			var got string
			if len(asked) > 0 {
				got = asked[0]
			}
			if diff := cmp.Diff(test.asked, got); diff != "" && !strings.HasPrefix(test.said, "ERROR endpoint") {
				t.Errorf("first request (-want +got):\n%s", diff)
			}
		})
	}
}

// TestIgnoredFilesOfTheEmbeddedControlPlane checks that a file that is not read because of
// its name or place is reported, and that the provider works.
func TestIgnoredFilesOfTheEmbeddedControlPlane(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"none": {map[string]string{"meshes/shop.yaml": "type: Mesh\nname: shop\n", "README.md": "Our mesh"}, nil},
		"two": {
			map[string]string{"meshes/shop.yml": "type: Mesh\nname: shop\n", "shop.yaml": "type: Workload\nmesh: shop\nname: web\n"},
			[]string{"WARNING embedded.directory Files ignored in the directory: The embedded control plane ignores these files, although they look like resources: - meshes/shop.yml: rename it to meshes/shop.yaml - shop.yaml: rename it to workloads/shop/web.yaml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range test.files {
				testworld.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
				providertest.Write(t, filepath.Join(dir, file), text)
			}
			ok, said := providertest.ConfigureServer(t, provider.NewServer("test", providertest.Impatient)(), map[string]any{"embedded": map[string]any{"directory": dir}})
			if diff := cmp.Diff(test.want, said); !ok || diff != "" {
				t.Errorf("configured %t (-want +got):\n%s", ok, diff)
			}
		})
	}
}

// TestReleaseOfTheEmbeddedControlPlane checks the diagnostics about kuma_version.
func TestReleaseOfTheEmbeddedControlPlane(t *testing.T) {
	t.Parallel()
	old := t.TempDir()
	testworld.NoError(t, os.Mkdir(filepath.Join(old, "meshes"), 0o755))
	providertest.Write(t, filepath.Join(old, "meshes", "default.yaml"), "type: Mesh\nname: default\n")
	for name, test := range map[string]struct {
		directory string
		version   any
		want      []string
	}{
		"2.14":          {t.TempDir(), "2.14", nil},
		"3.0":           {t.TempDir(), "3.0", nil},
		"same":          {old, "2.14", nil},
		"unknown":       {old, tftypes.UnknownValue, nil},
		"patch":         {t.TempDir(), "3.0.1", []string{`ERROR embedded.kuma_version Invalid value: embedded.kuma_version must be 2.14 or 3.0, not "3.0.1". Did you mean "3.0"?`}},
		"not supported": {t.TempDir(), "2.9", []string{`ERROR embedded.kuma_version Invalid value: embedded.kuma_version must be 2.14 or 3.0, not "2.9".`}},
		"empty":         {t.TempDir(), "", []string{`ERROR embedded.kuma_version Invalid value: embedded.kuma_version must be 2.14 or 3.0, not "".`}},
		"of another release": {old, "3.0", []string{`ERROR embedded.kuma_version Directory belongs to another release: kuma_version is "3.0", but the directory belongs to a control plane of Kuma 2.14. ` +
			`Remove kuma_version to keep its release, or use another directory. To change its release, write 3.0 to the file ` + filepath.Join(old, ".kuma-version") + `.`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, said := providertest.ConfigureServer(t, provider.NewServer("test", provider.Waits{})(), map[string]any{"embedded": map[string]any{"directory": test.directory, "kuma_version": test.version}})
			testworld.Equal(t, "diagnostics", test.want, said)
		})
	}
}

// TestBrokenFileOfTheEmbeddedControlPlane checks that the message names the file, and
// does not mention a server, endpoint or log.
func TestBrokenFileOfTheEmbeddedControlPlane(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testworld.NoError(t, os.Mkdir(filepath.Join(dir, "meshes"), 0o755))
	file := filepath.Join(dir, "meshes", "default.yaml")
	providertest.Write(t, file, "type: Mesh\nname: default\nmtsl: {}\n")
	s := providertest.NewSession(t, "kuma_mesh", map[string]any{"embedded": map[string]any{"directory": dir}})
	config := map[string]any{"name": "default"}
	_, read := s.Read(t, "kuma_mesh", config)
	for method, diags := range map[string][]*tfprotov6.Diagnostic{"read": read, "apply": s.Apply(t, config, nil)} {
		said := strings.Join(providertest.Told(diags), "\n")
		if !strings.Contains(said, "the embedded control plane failed: "+file+":3: mtsl: ") {
			t.Errorf("%s: diagnostics %q, want file and line", method, said)
		}
		for _, word := range []string{"server", "endpoint", "the log", "proxy"} {
			if strings.Contains(said, word) {
				t.Errorf("%s: diagnostics %q name a %s, which does not exist", method, said, word)
			}
		}
	}
}

// TestProxyFromEnvironment runs the provider as a program, because the
// environment is read when the program starts.
func TestProxyFromEnvironment(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	testworld.NoError(t, err)
	var asked atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Host)
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + `
data "kuma_resources" "all" {
  type = "Mesh"
}
`})
	c.SeparateProcess(t)
	c.Env = append(c.Env, "HTTP_PROXY="+proxy.URL, "NO_PROXY=127.0.0.1", "KUMA_ENDPOINT=http://kuma.invalid:5681", "KUMA_TOKEN=")
	c.Must(t, "plan")
	if got := asked.Load(); got != "kuma.invalid:5681" {
		t.Errorf("the proxy was asked for %v, want the control plane", got)
	}
}

// configure configures a new provider and returns its diagnostics.
func configure(t *testing.T, values map[string]any) []string {
	t.Helper()
	server := provider.NewServer("test", providertest.Impatient)()
	_, said := providertest.ConfigureServer(t, server, values)
	return said
}
