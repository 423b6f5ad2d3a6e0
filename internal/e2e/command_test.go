package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/command"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestCommandsOnAControlPlane runs the commands on what control planes store: one that the
// environment names, and those of contexts of kumactl.
func TestCommandsOnAControlPlane(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	world := testworld.Path("internal", "command", "testdata")
	endpoint := regexp.MustCompile(`endpoint = "(.*)"`)
	var planes, contexts []string
	var token string
	for _, side := range []string{"before", "after"} {
		server, config := providertest.StartCounted(t)
		var documents []string
		for _, file := range testworld.Files(t, filepath.Join(world, side, "*.yaml")) {
			documents = append(documents, testworld.Text(t, file))
		}
		for _, file := range testworld.Files(t, filepath.Join(world, side, "policies", "*.yaml")) {
			documents = append(documents, testworld.Text(t, file))
		}
		providertest.PutDocuments(t, server, strings.Join(documents, "---\n"))
		server.Disturb = func(_ http.ResponseWriter, r *http.Request) bool {
			token = r.Header.Get("Authorization")
			return false
		}
		url := endpoint.FindStringSubmatch(config)[1]
		planes = append(planes, fmt.Sprintf("  - {name: %s, coordinates: {apiServer: {url: %q}}}\n", side, url))
		contexts = append(contexts, fmt.Sprintf("  - {name: %s, controlPlane: %s}\n", side, side))
		t.Setenv("KUMA_ENDPOINT", url) // the last one
	}
	t.Setenv("KUMA_TOKEN", "of-the-environment")
	testworld.NoError(t, os.Mkdir(filepath.Join(home, ".kumactl"), 0o700))
	providertest.Write(t, filepath.Join(home, ".kumactl", "config"), "controlPlanes:\n"+strings.Join(planes, "")+"contexts:\n"+strings.Join(contexts, "")+"currentContext: before\n")
	for _, test := range []struct {
		arguments string
		code      int
		want      string
	}{
		{"lint", 0, `Mesh "shop" has no findings.`},
		{"lint -context before", 1, `error dangling-target: MeshTimeout "api"`},
		{"lint -context before -format sarif", 1, `"fullyQualifiedName": "MeshTimeout/api spec.to[0].targetRef"`},
		{"access -to api", 0, "api:80"},
		{"access -format json", 0, `"matrix": `},
		{"rules -dataplane web-1 -service api -type MeshTimeout", 0, "http.requestTimeout = 5s ← api"},
		{"rules -dataplane wep-1", 2, `Did you mean "web-1"?`},
		{"request -dataplane web-1 -service api", 0, "Verdict: allowed"},
		{"upgrade", 1, "Checked: 0 proxies are connected."},
		{"proxies", 0, "Mesh shop: 2 proxies: 0 online"},
		{"proxies -format json", 0, `"missing_kuma3_features": []`},
		{"proxies nothing", 2, "proxies takes no path: it reads a control plane."},
		{"page", 0, "<h2>Mesh shop</h2>"},
		{"request -format html -dataplane web-1 -service api", 0, "<strong>Verdict: allowed. "},
		{"lint -mesh shpo", 2, `Error: The control plane has no mesh "shpo". Did you mean "shop"?`},
		{"impact -context before -against after -exit-code", 1, "`http.requestTimeout`: `15s` → `5s`"},
		{"impact -against before -context after -exit-code", 1, "`http.requestTimeout`: `5s` → `15s`"},
		{"impact -context before " + filepath.Join(world, "after"), 0, "`http.requestTimeout`: `15s` → `5s`"},
		{"impact -context after " + filepath.Join(world, "after"), 0, "no dataplane changes"},
		{"lint -endpoint http://127.0.0.1:1", 2, "Error: "},
		{"lint -context nowhere", 2, "nowhere"},
		{"impact -against before " + world, 2, "impact -against takes no path."},
	} {
		var out, errs bytes.Buffer
		code := command.Run(t.Context(), "test", strings.Fields(test.arguments), nil, &out, &errs)
		if all := out.String() + errs.String(); code != test.code || !strings.Contains(all, test.want) || strings.Contains(all, "of-the-environment") {
			t.Errorf("%s: exit code %d, want %d and %q in\n%s", test.arguments, code, test.code, test.want, all)
		}
	}
	if token != "Bearer of-the-environment" {
		t.Errorf("the last request has the authorization %q", token)
	}
}
