package managed_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestImportOfOlderKind imports a document of a kind without a declaration, to which the
// control plane added a label, with and without that label in the manifest.
func TestImportOfOlderKind(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const document = `{"type": "ExternalService", "mesh": "default", "name": "httpbin", "networking": {"address": "httpbin:80"}`
	config := (&providertest.OtherRelease{Version: "2.14.3"}).Start(t)
	endpoint := strings.Split(config, `"`)[3]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, endpoint+"/meshes/default/external-services/httpbin", strings.NewReader(document+"}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	for name, labels := range map[string]string{"without labels": "", "with the label": `, "labels": {"kuma.io/mesh": "default"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + config + `
resource "kuma_manifest" "x" {
  manifest = ` + document + labels + `}
}
import {
  to = kuma_manifest.x
  id = "ExternalService/default/httpbin"
}
`})
			if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "1 imported, 0 added, 0 changed") {
				t.Errorf("the import changes the resource:\n%s", out)
			}
			c.PlanIsEmpty(t)
		})
	}
}
