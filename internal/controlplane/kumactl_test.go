package controlplane_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const kumactlFile = `
contexts:
- name: local
  controlPlane: local
- name: shop
  controlPlane: shop
  defaults:
    mesh: shop
- name: lost
  controlPlane: nowhere
- name: plugin
  controlPlane: plugin
- name: no-files
  controlPlane: no-files
controlPlanes:
- name: local
  coordinates:
    apiServer:
      url: http://localhost:5681
- name: shop
  coordinates:
    apiServer:
      url: https://kuma.example.com:5682
      caCertFile: DIR/ca.pem
      clientCertFile: DIR/cert.pem
      clientKeyFile: DIR/key.pem
      skipVerify: true
      headers:
      - key: X-Team
        value: shop
      authType: tokens
      authConf:
        token: eyJ-secret-token
- name: plugin
  coordinates:
    apiServer:
      url: https://kuma.example.com:5682
      authType: sso
- name: no-files
  coordinates:
    apiServer:
      url: https://kuma.example.com:5682
      caCertFile: DIR/missing.pem
currentContext: local
`

func TestKumactl(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"ca.pem": "CA", "cert.pem": "CERT", "key.pem": "KEY"} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	file := strings.ReplaceAll(kumactlFile, "DIR", dir)
	shop := controlplane.Config{
		Endpoint: "https://kuma.example.com:5682", Token: token, Headers: map[string]string{"X-Team": "shop"},
		TLS: controlplane.TLS{CA: "CA", ClientCert: "CERT", ClientKey: "KEY", InsecureSkipVerify: true},
	}
	for name, test := range map[string]struct {
		file, context string
		want          controlplane.Config
		refused       string
	}{
		"current":            {file: file, want: controlplane.Config{Endpoint: "http://localhost:5681"}},
		"by name":            {file: file, context: "shop", want: shop},
		"JSON":               {file: `{"contexts":[{"name":"a","controlPlane":"b"}],"controlPlanes":[{"name":"b","coordinates":{"apiServer":{"url":"http://b"}}}]}`, context: "a", want: controlplane.Config{Endpoint: "http://b"}},
		"no such context":    {file: file, context: "shpo", refused: `context "shpo" not found. Contexts in the file: local, shop, lost, plugin, no-files`},
		"no control plane":   {file: file, context: "lost", refused: `"nowhere"`},
		"plugin":             {file: file, context: "plugin", refused: `authType "sso"`},
		"missing CA":         {file: file, context: "no-files", refused: "missing.pem"},
		"no current context": {file: "contexts: []\n", refused: "kumactl config use-context"},
		"empty file":         {file: "", refused: "kumactl config use-context"},
		"no contexts":        {file: "", context: "shop", refused: "Contexts in the file: none"},
		"misspelled field":   {file: strings.Replace(file, "caCertFile", "caCert", 1), refused: "line 24: field caCert not found"},
		"syntax":             {file: "contexts: [\n", refused: "line "},
		"anchor":             {file: "contexts: *" + token + "\n", refused: "unknown anchor"},
		"wrong type":         {file: "contexts:\n- name: a\n  defaults: " + token + "\n", refused: "line 3: the value has the wrong type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := filepath.Join(t.TempDir(), "config")
			writeFile(t, at, test.file)
			got, err := controlplane.Kumactl(at, test.context)
			var wrong *controlplane.ConfigError
			switch {
			case test.refused == "" && err != nil:
				t.Fatalf("Kumactl(%q) = %v", test.context, err)
			case test.refused != "" && (!errors.As(err, &wrong) || wrong.Field != controlplane.FieldContext || !strings.Contains(err.Error(), test.refused) || !strings.Contains(err.Error(), at)):
				t.Errorf("Kumactl(%q) = %v, want a ConfigError on the context with the file and %q", test.context, err, test.refused)
			case err != nil && strings.Contains(err.Error(), token[:7]):
				t.Errorf("the error quotes a token: %v", err)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(controlplane.Config{}, "Log")); diff != "" {
				t.Errorf("Kumactl(%q) (-want +got):\n%s", test.context, diff)
			}
		})
	}
	if _, err := controlplane.Kumactl(filepath.Join(dir, "nothing"), ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Kumactl() of a missing file = %v, want os.ErrNotExist", err)
	}
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	testworld.NoError(t, os.WriteFile(name, []byte(content), 0o600))
}
